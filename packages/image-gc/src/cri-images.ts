import { statfs } from 'node:fs/promises';
import { errorCode, NodeAgentError } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { imageGcErrorCodes } from './errors.js';
import type { ImageGcManagerOptions } from './options.js';
import type { ImageFsStats } from './space-to-free.js';

export interface CriImagesOptions {
  image: Pick<ImageService, 'listImages' | 'removeImage' | 'imageFsInfo'>;
  runtime: Pick<RuntimeService, 'listContainers' | 'containerStatus'>;
  /** Size and free space of the file system at a path. Default: `statfs`. */
  fileSystem?(path: string): Promise<ImageFsStats>;
}

/** The ports of `createImageGcManager` over a CRI runtime. The image volumes of a container are read once. */
export function criImages({
  image,
  runtime,
  fileSystem = fileSystemAt,
}: CriImagesOptions): Pick<ImageGcManagerOptions, 'images' | 'imagesInUse' | 'imageFsStats'> {
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
    async imageFsStats(signal) {
      const { imageFilesystems } = await image.imageFsInfo({}, { signal });
      const path = imageFilesystems[0]?.fsId?.mountpoint;
      if (!path) throw new NodeAgentError(imageGcErrorCodes.imageFsUnknown, 'the runtime does not report the file system of its images');
      return fileSystem(path);
    },
  };
}

async function fileSystemAt(path: string): Promise<ImageFsStats> {
  const { blocks, bavail, bsize } = await statfs(path, { bigint: true });
  return { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
}
