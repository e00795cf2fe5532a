import { abandonAtDeadline, type Counter, errorMessage, NodeAgentError } from '@nodeagent/api';
import { imageGcErrorCodes, timedOut } from './errors.js';
import { formatBytes } from './format-bytes.js';
import { type ImageRecord, updateImageRecords } from './image-record.js';
import type { ResolvedOptions } from './options.js';
import type { ImageFsStats } from './space-to-free.js';

/** An image that a collection removed. */
export interface RemovedImage {
  id: string;
  /** In bytes. */
  size: number;
  reason: 'age' | 'space';
}

/** The images of the node, in use or not. */
export interface InspectedImages {
  /** When the images were listed, in milliseconds of the clock's monotonic time. */
  now: number;
  /** Ids of the images in use. */
  inUse: Set<string>;
  records: Map<string, ImageRecord>;
}

/** Lists, measures and removes the node's images, each call with a timeout, and keeps their records. */
export interface NodeImages {
  records: Map<string, ImageRecord>;
  /** Lists the images; leaves the records as they are. */
  inspect(signal: AbortSignal): Promise<InspectedImages>;
  /** Lists the images and updates the records. */
  detect(signal: AbortSignal): Promise<InspectedImages>;
  fsStats(signal: AbortSignal): Promise<ImageFsStats>;
  /** Removes an image and its record. Logs a failure and rejects with it. */
  remove(image: ImageRecord, reason: RemovedImage['reason'], signal: AbortSignal): Promise<RemovedImage>;
}

export function createNodeImages(options: ResolvedOptions): NodeImages {
  return new Images(options);
}

class Images implements NodeImages {
  records = new Map<string, ImageRecord>();
  readonly #options: ResolvedOptions;
  readonly #collected: Counter;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#collected = options.metrics.counter({
      name: 'kubelet_image_garbage_collected_total',
      help: 'Total number of images garbage collected by the kubelet, whether through disk usage or image age.',
      labels: ['reason'],
    });
  }

  async inspect(signal: AbortSignal): Promise<InspectedImages> {
    const { clock, images, imagesInUse } = this.#options;
    const now = clock.monotonic();
    const { imagesUnknown, useUnknown } = imageGcErrorCodes;
    const listed = await this.#ask('the list of images', imagesUnknown, signal, (bound) => images.listImages(bound));
    const inUse = new Set(await this.#ask('the images in use', useUnknown, signal, (bound) => imagesInUse(bound)));
    return { now, inUse, records: updateImageRecords(this.records, listed, inUse, now, clock.monotonic()) };
  }

  async detect(signal: AbortSignal): Promise<InspectedImages> {
    const found = await this.inspect(signal);
    this.records = found.records;
    return found;
  }

  fsStats(signal: AbortSignal): Promise<ImageFsStats> {
    const { imageFsStats } = this.#options;
    return this.#ask('the image file system', imageGcErrorCodes.imageFsUnknown, signal, (bound) => imageFsStats(bound));
  }

  async remove({ id, size }: ImageRecord, reason: RemovedImage['reason'], signal: AbortSignal): Promise<RemovedImage> {
    const { images, logger } = this.#options;
    try {
      await this.#withTimeout(`the removal of image ${id}`, signal, (bound) => images.removeImage(id, bound));
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ image: id, err: error }, 'failed to remove an image');
      throw error;
    }
    this.records.delete(id);
    this.#collected.inc({ reason });
    logger.info({ image: id, size: formatBytes(size), reason }, 'removed an image');
    return { id, size: Number(size), reason };
  }

  async #ask<T>(what: string, code: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await this.#withTimeout(what, signal, call);
    } catch (cause) {
      signal.throwIfAborted();
      throw new NodeAgentError(code, errorMessage(cause), { cause, retryable: true });
    }
  }

  #withTimeout<T>(what: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { clock, settings } = this.#options;
    const timeoutMs = settings.runtimeRequestTimeoutMs;
    return abandonAtDeadline({ clock, timeoutMs, signal, error: () => timedOut(what, timeoutMs) }, call);
  }
}
