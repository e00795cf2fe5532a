import { type Clock, type Logger, type Runtime, settlesWithin, silentLogger, systemClock, type VersionedRuntime } from '@nodeagent/api';
import type { Image, ImageService } from '@nodeagent/cri-api';

/** How long an answer of the runtime is reused. */
const cacheMs = 30_000;
/** How long a caller waits for the runtime. */
const timeoutMs = 1_000;

/** What a Node's status reports of the runtime beside its health. */
export interface RuntimeInventory {
  /** As of the last answer; without a version until the runtime has answered. */
  version(): { type: string; version?: string };
  /** As of the last answer. Lists them again after half a minute, and waits one second at most for a runtime that does not answer. */
  images(signal: AbortSignal): Promise<readonly Image[]>;
}

export interface RuntimeInventoryOptions {
  runtime: Pick<Runtime, 'runtimeName'>;
  versioned: VersionedRuntime;
  imageService: Pick<ImageService, 'listImages'>;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'monotonic' | 'setTimeout'>;
  /** Default: silent. */
  logger?: Logger;
}

/** Requests the runtime's version and images together. Keeps the previous answer while the runtime does not answer. */
export function createRuntimeInventory({
  runtime,
  versioned,
  imageService,
  clock = systemClock,
  logger = silentLogger,
}: RuntimeInventoryOptions): RuntimeInventory {
  let version: string | undefined;
  let images: readonly Image[] = [];
  let answeredAt: number | undefined;
  let listing: Promise<void> | undefined;

  const list = async (signal: AbortSignal) => {
    try {
      const [found, answer] = await Promise.all([imageService.listImages({}, { signal }), versioned.runtimeVersion(signal)]);
      images = found.images;
      version = answer.version;
      answeredAt = clock.monotonic();
    } catch (error) {
      logger.debug({ err: error }, 'the runtime does not report its version and images');
    } finally {
      listing = undefined;
    }
  };
  return {
    version: () => ({ type: runtime.runtimeName, ...(version !== undefined && { version }) }),
    async images(signal) {
      if (answeredAt === undefined || clock.monotonic() - answeredAt >= cacheMs) {
        listing ??= list(signal);
        await settlesWithin(listing, { clock, timeoutMs, signal });
      }
      return images;
    },
  };
}
