import { statfs } from 'node:fs/promises';
import { type Clock, errorMessage } from '@nodeagent/api';
import type { FilesystemUsage, ImageService, ListImagesRequest, ListImagesResponse } from '@nodeagent/cri-api';
import { createCalls } from './calls.js';
import { failedPrecondition, unknownError } from './errors.js';
import { hostImage, hostImageId, isHostImage, unknownImage } from './host-image.js';

export interface ImageServicePorts {
  clock: Clock;
  /** Its file system is reported as that of images and containers. */
  root: string;
  /** The runtime's user. */
  uid: number;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** The image service of the runtime's only image, which is always present. Works before the runtime is started. */
export function createImageService({ clock, root, uid, now }: ImageServicePorts): ImageService {
  const { unary, listing } = createCalls(clock);
  const list = ({ filter }: ListImagesRequest): ListImagesResponse => {
    const reference = filter?.image?.image;
    return { images: !reference || isHostImage(reference) ? [hostImage(uid)] : [] };
  };

  return {
    listImages: unary('ListImages', list),
    streamImages: listing('StreamImages', list),
    imageStatus: unary('ImageStatus', ({ image }) => ({ ...(isHostImage(image?.image ?? '') && { image: hostImage(uid) }), info: {} })),
    pullImage: unary('PullImage', ({ image }) => {
      if (!isHostImage(image?.image ?? '')) throw unknownImage(image?.image ?? '');
      return { imageRef: hostImageId };
    }),
    removeImage: unary('RemoveImage', ({ image }) => {
      if (isHostImage(image?.image ?? '')) throw failedPrecondition(`image "host" is this machine's own file system and cannot be removed`);
      return {};
    }),
    imageFsInfo: unary('ImageFsInfo', async () => {
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
    }),
  };
}
