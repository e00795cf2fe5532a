import { stat } from 'node:fs/promises';
import { NodeAgentError } from '@nodeagent/api';
import type { ImageService } from '@nodeagent/cri-api';
import type { DiskInfoProvider } from '@nodeagent/eviction';
import { coreErrorCodes } from '../errors.js';

/** Which file systems the node has, by the devices of the agent's folder and of what the runtime says of its own. */
export function createNodeFileSystems(
  image: Pick<ImageService, 'imageFsInfo'>,
  rootDir: string,
  deviceOf = async (path: string): Promise<unknown> => (await stat(path)).dev,
): DiskInfoProvider {
  const mountpoints = async (signal: AbortSignal) => {
    const { imageFilesystems, containerFilesystems } = await image.imageFsInfo({}, { signal });
    const images = imageFilesystems?.[0]?.fsId?.mountpoint;
    if (!images) throw new NodeAgentError(coreErrorCodes.unknownImageFs, 'the runtime does not say where images lie', { retryable: true });
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
