import { type Clock, type Logger, type Runtime, settlesWithin, type VersionedRuntime } from '@nodeagent/api';
import type { Image, ImageService } from '@nodeagent/cri-api';

/** How long a look at the runtime counts, and how long it is waited for. */
const [cacheMs, patienceMs] = [30_000, 1_000];

/** What a Node object says of the runtime beside its health. */
export interface RuntimeInventory {
  /** As of the last look; without a version until the runtime has answered. */
  version(): { type: string; version?: string };
  /** As of the last look. Looks again if that is half a minute ago, and does not wait for a runtime that does not answer. */
  images(signal: AbortSignal): Promise<readonly Image[]>;
}

export interface RuntimeInventoryOptions {
  runtime: Pick<Runtime, 'runtimeName'>;
  versioned: VersionedRuntime;
  imageService: Pick<ImageService, 'listImages'>;
  clock: Pick<Clock, 'monotonic' | 'setTimeout'>;
  logger: Logger;
}

/** The runtime's version and images, asked for together. A runtime that does not answer leaves what was known. */
export function createRuntimeInventory({ runtime, versioned, imageService, clock, logger }: RuntimeInventoryOptions): RuntimeInventory {
  let version: string | undefined;
  let images: readonly Image[] = [];
  let lookedAt: number | undefined;
  let looking: Promise<void> | undefined;

  const look = async (signal: AbortSignal) => {
    try {
      const [found, answer] = await Promise.all([imageService.listImages({}, { signal }), versioned.runtimeVersion(signal)]);
      images = found.images;
      version = answer.version;
      lookedAt = clock.monotonic();
    } catch (error) {
      logger.debug({ err: error }, 'the runtime does not tell its version and images');
    } finally {
      looking = undefined;
    }
  };
  return {
    version: () => ({ type: runtime.runtimeName, ...(version !== undefined && { version }) }),
    async images(signal) {
      if (lookedAt === undefined || clock.monotonic() - lookedAt >= cacheMs) {
        looking ??= look(signal);
        await settlesWithin(looking, { clock, timeoutMs: patienceMs, signal });
      }
      return images;
    },
  };
}
