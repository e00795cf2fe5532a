import { type Clock, type Logger, type Runtime, settlesWithin, silentLogger, systemClock, type VersionedRuntime } from '@nodeagent/api';
import type { Image, ImageService } from '@nodeagent/cri-api';

/** How long the runtime's response is cached. */
const cacheMs = 30_000;
/** How long a caller waits for the runtime. */
const timeoutMs = 1_000;

/** The runtime's version and images, for the Node status. */
export interface RuntimeInventory {
  /** As of the last response; without a version until the first one. */
  version(): { type: string; version?: string };
  /** As of the last response. Lists images again after 30 s, and waits at most 1 s for the runtime. */
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

/** Requests the runtime's version and images together. Keeps the previous response while the runtime does not respond. */
export function createRuntimeInventory(options: RuntimeInventoryOptions): RuntimeInventory {
  const { runtime, versioned, imageService, clock = systemClock, logger = silentLogger } = options;
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
