import type { ContainerConfig } from '@nodeagent/cri-api';
import type { IdMappings } from '@nodeagent/image-store';
import { notFound } from '../errors.js';
import { imageVolumes } from './requested-image-volumes.js';
import type { RootFileSystems } from './root-file-systems.js';

/**
 * Mounts the image volumes of a container. Resolves to their folders or files by the paths in the container. Rejects if an image or a sub path is
 * missing. Kubernetes, "Use an Image Volume With a Pod".
 */
export async function mountImageVolumes(
  containerId: string,
  config: ContainerConfig,
  { find, mountVolume }: Pick<RootFileSystems, 'find' | 'mountVolume'>,
  idMappings?: IdMappings,
): Promise<Record<string, string>> {
  const sources: Record<string, string> = {};
  for (const [position, { containerPath = '', image = {}, imageSubPath = '' }] of imageVolumes(config)) {
    const found = await find(image);
    if (found === undefined)
      throw notFound(`image "${image.userSpecifiedImage || image.image}" of the volume at ${containerPath} not found`);
    sources[containerPath] = await mountVolume(found, containerId, { position, subPath: imageSubPath, ...(idMappings && { idMappings }) });
  }
  return sources;
}
