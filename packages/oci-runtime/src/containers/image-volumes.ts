import type { ContainerConfig, Mount } from '@nodeagent/cri-api';
import type { IdMappings } from '@nodeagent/image-store';
import { notFound } from '../errors.js';
import { imageVolumes } from './requested-image-volumes.js';
import type { RootFileSystems } from './root-file-systems.js';

/** The image volumes of a container. */
export interface MountedImageVolumes {
  /** Their folders or files by the paths in the container. */
  sources: Record<string, string>;
  /** All mounts of the request, those of images with the ID of the image, as PullImage returns it. */
  mounts: Mount[];
}

/**
 * Mounts the image volumes of a container. Rejects if an image or a sub path is missing. Kubernetes, "Use an Image Volume With a Pod".
 */
export async function mountImageVolumes(
  containerId: string,
  config: ContainerConfig,
  { find, mountVolume }: Pick<RootFileSystems, 'find' | 'mountVolume'>,
  idMappings?: IdMappings,
): Promise<MountedImageVolumes> {
  const sources: Record<string, string> = {};
  const mounts = [...(config.mounts ?? [])];
  for (const [position, mount] of imageVolumes(config)) {
    const { containerPath = '', image = {}, imageSubPath = '' } = mount;
    const found = await find(image);
    if (found === undefined)
      throw notFound(`image "${image.userSpecifiedImage || image.image}" of the volume at ${containerPath} not found`);
    sources[containerPath] = await mountVolume(found, containerId, { position, subPath: imageSubPath, ...(idMappings && { idMappings }) });
    mounts[position] = { ...mount, image: { ...image, imageRef: found.id } };
  }
  return { sources, mounts };
}
