import { NodeAgentError } from '@nodeagent/api';
import { checkImageGcSettings, createImageGcManager, criImages, type ImageGcManager, imageGcErrorCodes } from '@nodeagent/image-gc';
import type { AgentParts, Components } from '../components.js';

/**
 * Removes unused images of the runtime. On a host without image file system stats it does not start, and removes images only on request.
 * Throws `InvalidOption` naming the setting.
 */
export function imageGc({ agent, host, settings, common, timeline, imageManager }: Components): AgentParts['imageGc'] {
  const { nodeName, cri } = agent;
  const imageFsStats = host.imageFsStats?.bind(host);
  const { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent } = settings;
  const gcSettings = { imageMinimumGCAgeMs, imageMaximumGCAgeMs, imageGCHighThresholdPercent, imageGCLowThresholdPercent };
  checkImageGcSettings(gcSettings);
  const manager = createImageGcManager({
    nodeName,
    ...criImages({ runtime: cri.runtime, image: timeline.followImages(cri.image) }),
    imageFsStats: imageFsStats ?? unknownFileSystem,
    // Pruned against all listed images: records of images in use must stay.
    onCollected: ({ present, freeTime }) => imageManager.pruneUnknownRecords(new Set(present), freeTime),
    settings: gcSettings,
    ...common,
  });
  return imageFsStats ? manager : withoutStart(manager);
}

const unknownFileSystem = async () => {
  throw new NodeAgentError(imageGcErrorCodes.imageFsUnknown, 'the host does not report the file system of the images');
};

/** Never collects by itself. */
function withoutStart(manager: ImageGcManager): ImageGcManager {
  return {
    start: async () => {},
    stop: () => manager.stop(),
    detectImages: (signal) => manager.detectImages(signal),
    plan: (signal) => manager.plan(signal),
    garbageCollect: (signal) => manager.garbageCollect(signal),
    deleteUnusedImages: (signal) => manager.deleteUnusedImages(signal),
    records: () => manager.records(),
  };
}
