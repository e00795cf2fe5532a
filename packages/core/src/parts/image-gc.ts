import type { Clock, EventRecorder, Logger, Metrics } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import {
  type CriImagesOptions,
  checkImageGcSettings,
  createImageGcManager,
  criImages,
  type ImageGcManager,
  type ImageGcManagerOptions,
} from '@nodeagent/image-gc';
import type { NodeHost } from '../host/node-host.js';
import type { NodeAgentSettings } from '../options/settings.js';

export interface AgentImageGcOptions {
  nodeName: string;
  cri: { runtime: RuntimeService; image: CriImagesOptions['image'] };
  /** Removes the pull records of removed images. */
  prunePullRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void>;
  settings: Readonly<NodeAgentSettings>;
  host: Pick<NodeHost, 'imageFsStats'>;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/**
 * Removes unused images of the runtime. On a host without image file system stats it does not start, and removes images only on request.
 * Throws `InvalidOption` naming the setting.
 */
export function createAgentImageGc({ cri, prunePullRecords, settings, host, ...options }: AgentImageGcOptions): ImageGcManager {
  const imageFsStats = host.imageFsStats?.bind(host);
  const { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent } = settings;
  const gcSettings = { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent };
  checkImageGcSettings(gcSettings);
  const gcOptions: ImageGcManagerOptions = {
    ...options,
    ...criImages(cri),
    ...(imageFsStats && { imageFsStats }),
    // Pruned against all listed images: records of images in use must stay.
    onCollected: ({ present, freeTime }) => prunePullRecords(new Set(present), freeTime),
    settings: gcSettings,
  };
  const manager = createImageGcManager(gcOptions);
  return imageFsStats ? manager : { ...manager, start: async () => {} };
}
