import { encodeBase64, encodeUtf8 } from '@nodeagent/api/helpers';
import type { AuthConfig, ImageService } from '@nodeagent/cri-api';
import type { CallGate } from './calls.js';
import { criError } from './errors.js';
import { normalizeImageName } from './image-name.js';
import { toImage } from './image-store.js';
import type { MemoryNode } from './memory-node.js';
import { writableLayers } from './stats.js';
import { nanoseconds } from './time-stamps.js';

/** CRI's ImageService over the simulated node; every method passes the gate. */
export function createImageService(node: MemoryNode, gate: CallGate): ImageService {
  const { clock } = node.options;
  const { images } = node;

  const list = (name: string | undefined) => {
    const found = name ? images.get(name) : undefined;
    return (name ? (found ? [found] : []) : images.list()).map(toImage);
  };

  return {
    listImages: (request, options = {}) =>
      gate.call('listImages', request, options, () => ({ images: list(request.filter?.image?.image) })),
    streamImages: (request, options = {}) =>
      gate.stream('streamImages', request, options, async function* () {
        const found = list(request.filter?.image?.image);
        if (found.length > 0) yield { images: found };
      }),
    imageStatus: (request, options = {}) =>
      gate.call('imageStatus', request, options, () => {
        const record = images.get(request.image?.image ?? '');
        return { ...(record && { image: toImage(record) }), info: {} };
      }),
    pullImage: (request, options = {}) =>
      gate.call('pullImage', request, options, async (context) => {
        const name = request.image?.image ?? '';
        if (name === '') throw criError('CRI_INVALID_ARGUMENT', 'image name is empty');
        const { pullMs = 0, pullError, pullUser } = images.behaviourOf(name);
        if (pullMs > 0) await context.wait((signal) => clock.sleep(pullMs, signal));
        if (pullError instanceof Error) throw pullError;
        if (pullError !== undefined) throw criError('CRI_UNKNOWN', pullError);
        if (pullUser && !isUser(request.auth, pullUser)) {
          const full = normalizeImageName(name);
          throw criError(
            'CRI_UNKNOWN',
            `failed to pull and unpack image "${full}": pull access denied, authorization failed: 401 Unauthorized`,
          );
        }
        return { imageRef: images.add(name).id };
      }),
    removeImage: (request, options = {}) =>
      gate.call('removeImage', request, options, () => {
        images.remove(request.image?.image ?? '');
        return {};
      }),
    imageFsInfo: (request, options = {}) =>
      gate.call('imageFsInfo', request, options, () => {
        const timestamp = nanoseconds(clock.now());
        const layers = writableLayers(node.containers.values(), clock.now());
        const usage = (mountpoint: string, bytes: bigint, inodes: bigint) => ({
          timestamp,
          fsId: { mountpoint },
          usedBytes: { value: bytes },
          inodesUsed: { value: inodes },
        });
        return {
          imageFilesystems: [usage('/var/lib/memory-runtime/images', images.usedBytes, BigInt(images.list().length))],
          containerFilesystems: [usage('/var/lib/memory-runtime', layers.bytes, layers.inodes)],
        };
      }),
  };
}

/** Checks user and password, separate or in the combined field `auth` of docker configurations. */
function isUser(auth: AuthConfig | undefined, { username, password }: { username: string; password: string }): boolean {
  if (auth?.username === username && auth.password === password) return true;
  return auth?.auth === encodeBase64(encodeUtf8(`${username}:${password}`));
}
