import { type Clock, NodeAgentError, type PullInProgress } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { ImageService, ImageSpec } from '@nodeagent/cri-api';
import type { CriImageRequest } from './contracts.js';
import type { TrackedCredential } from './credentials.js';
import { imageErrorCodes } from './errors.js';
import { createSemaphore, createTokenBucket } from './limits.js';
import { type PulledImage, pullWithCredentials } from './pull-image.js';

/** A successful pull with its duration and size. */
interface MeasuredPull extends PulledImage {
  /** Without the wait for a slot, in milliseconds. */
  duration: number;
  /** In bytes; 0 if the runtime does not report it. */
  size: number;
}

/** Pulls within the limits of concurrency and rate. */
export interface Puller {
  pull(request: CriImageRequest, spec: ImageSpec, logins: readonly TrackedCredential[], signal?: AbortSignal): Promise<MeasuredPull>;
  pulls(): PullInProgress[];
}

interface PullerOptions {
  images: Pick<ImageService, 'imageStatus' | 'pullImage'>;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Undefined for no limit. */
  pullsAtOnce: number | undefined;
  registryPullQPS: number;
  registryBurst: number;
}

export function createPuller({ images, clock, pullsAtOnce, registryPullQPS, registryBurst }: PullerOptions): Puller {
  const semaphore = createSemaphore(pullsAtOnce);
  const mayPull = createTokenBucket(registryPullQPS, registryBurst, clock);
  const inProgress = new Set<PullInProgress>();

  async function imageSize(spec: ImageSpec, signal?: AbortSignal): Promise<number> {
    try {
      return Number((await images.imageStatus({ image: spec }, { signal })).image?.size ?? 0n);
    } catch {
      return 0;
    }
  }

  return {
    pulls: () => Array.from(inProgress, (pull) => ({ ...pull })),
    async pull(request, spec, logins, signal) {
      const progress: PullInProgress = { image: request.image, podUid: podUid(request.pod), state: 'waiting', since: clock.now() };
      inProgress.add(progress);
      try {
        const release = await semaphore.acquire(signal);
        try {
          progress.state = 'pulling';
          progress.startedAt = clock.now();
          if (!mayPull()) throw new NodeAgentError(imageErrorCodes.errImagePull, 'pull QPS exceeded', { retryable: true });
          const begin = clock.monotonic();
          const pulled = await pullWithCredentials(images, spec, logins, request.sandboxConfig, signal);
          const duration = clock.monotonic() - begin;
          return { ...pulled, duration, size: await imageSize(spec, signal) };
        } finally {
          release();
        }
      } finally {
        inProgress.delete(progress);
      }
    },
  };
}
