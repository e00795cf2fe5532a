import { type Clock, type EnsureImageRequest, errorMessage, type ImageManager, NodeAgentError, type PullInProgress } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';

/** The ports of {@link createTestImageManager}. */
export interface TestImageManagerPorts {
  clock: Pick<Clock, 'now'>;
  /** The id of a present image, by its name with a tag. */
  imageRef(image: string): string | undefined;
  /** Pulls the image; resolves with its id. */
  pull(image: string, signal: AbortSignal | undefined): Promise<string>;
}

const backOffMs = 10_000;

/** The name with a tag or digest. */
function tagged(image: string): string {
  if (!/^[a-z0-9][\w./:@-]*$/.test(image))
    throw new NodeAgentError('InvalidImageName', `${JSON.stringify(image)} is not the name of an image`);
  return /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
}

/** A minimal image manager: it pulls absent images, and backs off after a failure. */
export function createTestImageManager({ clock, imageRef, pull }: TestImageManagerPorts): ImageManager {
  const backOffs = new Map<string, number>();
  const pulls = new Set<PullInProgress>();
  const pullOnce = async ({ image: name, pod }: EnsureImageRequest, image: string, signal: AbortSignal | undefined) => {
    const key = `${podUid(pod)} ${image}`;
    if ((backOffs.get(key) ?? 0) > clock.now()) throw new NodeAgentError('ImagePullBackOff', `Back-off pulling image "${name}"`);
    const now = clock.now();
    const inProgress: PullInProgress = { image, podUid: podUid(pod), state: 'pulling', since: now, startedAt: now };
    pulls.add(inProgress);
    try {
      return await pull(image, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      backOffs.set(key, clock.now() + backOffMs);
      throw new NodeAgentError('ErrImagePull', errorMessage(cause), { cause });
    } finally {
      pulls.delete(inProgress);
    }
  };
  return {
    async start() {},
    async ensureImageExists(request, signal) {
      signal?.throwIfAborted();
      const image = tagged(request.image);
      const present = imageRef(image);
      const { pullPolicy } = request;
      if (present !== undefined && (pullPolicy === 'IfNotPresent' || pullPolicy === 'Never')) {
        return { imageRef: present, message: `Container image "${request.image}" already present on machine` };
      }
      if (pullPolicy === 'Never') throw new NodeAgentError('ErrImageNeverPull', `Container image "${request.image}" is not present`);
      return { imageRef: await pullOnce(request, image, signal), message: '' };
    },
    pulls: () => [...pulls],
    collectBackOff() {
      for (const [key, end] of backOffs) if (end <= clock.now()) backOffs.delete(key);
    },
    async pruneUnknownRecords() {},
  };
}
