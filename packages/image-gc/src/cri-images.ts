import { errorCode, NodeAgentError } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { imageGcErrorCodes } from './errors.js';
import type { ImageGcManagerOptions } from './options.js';
import type { ImageFsStats } from './space-to-free.js';

export interface CriImagesOptions {
  image: Pick<ImageService, 'listImages' | 'removeImage'>;
  runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus'>;
}

/** The images of a CRI runtime, for `createImageGcManager`. The image volumes of a container are read once. */
export function criImages({ image, runtime }: CriImagesOptions): Pick<ImageGcManagerOptions, 'images' | 'imagesInUse'> {
  /** Images mounted into containers, by container; holds listed containers only. */
  let mounted = new Map<string, readonly string[]>();

  const mountedImages = async (containerId: string, signal: AbortSignal): Promise<readonly string[]> => {
    const known = mounted.get(containerId);
    if (known !== undefined) return known;
    try {
      const { status } = await runtime.containerStatus({ containerId }, { signal });
      return (status?.mounts ?? []).flatMap((mount) => (mount.image?.image ? [mount.image.image] : []));
    } catch (cause) {
      // Removed since it was listed.
      if (errorCode(cause) === 'CRI_NOT_FOUND') return [];
      throw cause;
    }
  };
  return {
    images: {
      listImages: async (signal) => (await image.listImages({}, { signal })).images,
      async removeImage(id, signal) {
        await image.removeImage({ image: { image: id } }, { signal });
      },
    },
    async imagesInUse(signal) {
      const { containers } = await runtime.listContainers({}, { signal });
      const found = new Map<string, readonly string[]>();
      for (const { id } of containers) found.set(id, await mountedImages(id, signal));
      mounted = found;
      return [...containers.map(({ imageId, imageRef }) => imageId || imageRef), ...[...found.values()].flat()];
    },
  };
}

export interface CriImageFsOptions {
  image: Pick<ImageService, 'imageFsInfo'>;
  /** Size and free space of the file system that contains a path: `fileSystemUsage` of `@nodeagent/api/files`. */
  fileSystem(path: string): Promise<ImageFsStats>;
}

/** The stats of the file system in which a CRI runtime keeps its images. Rejects with `ImageFsUnknown` if it reports none. */
export function criImageFsStats({ image, fileSystem }: CriImageFsOptions): ImageGcManagerOptions['imageFsStats'] {
  return async (signal) => {
    const { imageFilesystems } = await image.imageFsInfo({}, { signal });
    const path = imageFilesystems[0]?.fsId?.mountpoint;
    if (!path) throw new NodeAgentError(imageGcErrorCodes.imageFsUnknown, 'the runtime does not report the file system of its images');
    return fileSystem(path);
  };
}
