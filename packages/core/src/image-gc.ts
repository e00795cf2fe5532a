import type { Clock, EventRecorder, Logger, Metrics } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import {
  type CriImagesOptions,
  createImageGcManager,
  criImages,
  type ImageGcManager,
  type ImageGcManagerOptions,
} from '@nodeagent/image-gc';
import type { NodeAgentParts } from './agent-types.js';
import type { NodeAgentSettings } from './settings.js';

export interface AgentImageGcOptions {
  nodeName: string;
  cri: { runtime: RuntimeService; image: CriImagesOptions['image'] };
  /** Forgets what is known of pulls of images that are gone. */
  prunePullRecords(imageRefs: ReadonlySet<string>, until: number): Promise<void>;
  settings: Readonly<NodeAgentSettings>;
  parts: Pick<NodeAgentParts, 'files' | 'imageFsStats'>;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/** Collects the images of the runtime. In a simulation without a disk of its own it does not start, and images go only when they are asked to. */
export function createAgentImageGc({ cri, prunePullRecords, settings, parts, ...options }: AgentImageGcOptions): ImageGcManager {
  const { files, imageFsStats } = parts;
  const isSimulated = files !== undefined && imageFsStats === undefined;
  const { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent } = settings;
  const gcOptions: ImageGcManagerOptions = {
    ...options,
    ...criImages(cri),
    ...(imageFsStats && { imageFsStats }),
    // By all images that are there: what is known of one in use is still needed.
    onCollected: ({ present, freeTime }) => prunePullRecords(new Set(present), freeTime),
    settings: { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent },
  };
  const manager = createImageGcManager(gcOptions);
  return isSimulated ? { ...manager, start: async () => {} } : manager;
}
