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
  /** Forgets what is known of pulls of images that are gone. */
  prunePullRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void>;
  settings: Readonly<NodeAgentSettings>;
  host: Pick<NodeHost, 'imageFsStats'>;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/** Removes unused images of the runtime. On a host without a disk of images it does not start, and removes images only on request.
 * Throws `InvalidOption` naming the setting. */
export function createAgentImageGc({ cri, prunePullRecords, settings, host, ...options }: AgentImageGcOptions): ImageGcManager {
  const imageFsStats = host.imageFsStats?.bind(host);
  const { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent } = settings;
  const gcSettings = { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent };
  checkImageGcSettings(gcSettings);
  const gcOptions: ImageGcManagerOptions = {
    ...options,
    ...criImages(cri),
    ...(imageFsStats && { imageFsStats }),
    // By all images that are there: what is known of one in use is still needed.
    onCollected: ({ present, freeTime }) => prunePullRecords(new Set(present), freeTime),
    settings: gcSettings,
  };
  const manager = createImageGcManager(gcOptions);
  return imageFsStats ? manager : { ...manager, start: async () => {} };
}
