import { stat } from 'node:fs/promises';
import { NodeAgentError } from '@nodeagent/api';
import type { ImageService } from '@nodeagent/cri-api';
import type { DiskInfoProvider } from '@nodeagent/eviction';
import { coreErrorCodes } from '../errors.js';

/**
 * Whether images, containers and `rootDir` share a file system, by the device of `rootDir` and of the file systems that the runtime
 * reports.
 */
export function createNodeFileSystems(
  image: Pick<ImageService, 'imageFsInfo'>,
  rootDir: string,
  deviceOf = async (path: string): Promise<unknown> => (await stat(path)).dev,
): DiskInfoProvider {
  const mountpoints = async (signal: AbortSignal) => {
    const { imageFilesystems, containerFilesystems } = await image.imageFsInfo({}, { signal });
    const images = imageFilesystems?.[0]?.fsId?.mountpoint;
    if (!images)
      throw new NodeAgentError(coreErrorCodes.unknownImageFs, 'the runtime does not report the file system of its images', {
        retryable: true,
      });
    return { images, containers: containerFilesystems?.[0]?.fsId?.mountpoint || images };
  };
  const differ = async (one: string, other: string) => one !== other && (await deviceOf(one)) !== (await deviceOf(other));
  return {
    hasDedicatedImageFs: async (signal) => differ(rootDir, (await mountpoints(signal)).images),
    async hasDedicatedContainerFs(signal) {
      const { images, containers } = await mountpoints(signal);
      return differ(images, containers);
    },
  };
}
