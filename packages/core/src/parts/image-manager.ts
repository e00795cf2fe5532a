import { createImageManager } from '@nodeagent/image-manager';
import type { AgentParts, Components } from '../components.js';

/** Pulls images. */
export function imageManager({ agent, host, settings, common }: Components): AgentParts['imageManager'] {
  const { checkpoints } = host;
  return createImageManager({
    images: agent.cri.image,
    ...common,
    pullRecords: checkpoints?.pullRecords,
    credentials: agent.imageCredentials,
    settings: { ...agent.imageSettings, serializeImagePulls: settings.serializeImagePulls },
  });
}
