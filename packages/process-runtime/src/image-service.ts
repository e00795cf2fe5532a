import { statfs } from 'node:fs/promises';
import { errorMessage } from '@nodeagent/api';
import type { FilesystemUsage, ImageService, ListImagesResponse } from '@nodeagent/cri-api';
import { failedPrecondition, unknownError } from './errors.js';
import { hostImage, hostImageId, isHostImage, unknownImage } from './host-image.js';

export interface ImageServicePorts {
  /** The folder whose file system is reported as that of images and containers. */
  root: string;
  /** The runtime's own user. */
  uid: number;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** The image service of a runtime that has one image, which is always there. Works before the runtime is started. */
export function createImageService({ root, uid, now }: ImageServicePorts): ImageService {
  const list = (reference: string | undefined): ListImagesResponse => ({
    images: !reference || isHostImage(reference) ? [hostImage(uid)] : [],
  });

  return {
    listImages: async ({ filter }) => list(filter?.image?.image),
    async *streamImages({ filter }) {
      yield list(filter?.image?.image);
    },
    imageStatus: async ({ image }) => ({ ...(isHostImage(image?.image ?? '') && { image: hostImage(uid) }), info: {} }),
    async pullImage({ image }) {
      if (!isHostImage(image?.image ?? '')) throw unknownImage(image?.image ?? '');
      return { imageRef: hostImageId };
    },
    async removeImage({ image }) {
      if (isHostImage(image?.image ?? '')) throw failedPrecondition(`image "host" is this machine's own file system and cannot be removed`);
      return {};
    },
    async imageFsInfo() {
      const { blocks, bfree, bsize, files, ffree } = await statfs(root, { bigint: true }).catch((error: unknown) => {
        throw unknownError(`statfs of ${root}: ${errorMessage(error)}`, error);
      });
      const usage: FilesystemUsage = {
        timestamp: now(),
        fsId: { mountpoint: root },
        usedBytes: { value: (blocks - bfree) * bsize },
        inodesUsed: { value: files - ffree },
      };
      return { imageFilesystems: [usage], containerFilesystems: [usage] };
    },
  };
}
