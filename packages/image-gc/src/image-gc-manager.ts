import { abortable, createRunLoop, errorMessage, NodeAgentError, type Startable } from '@nodeagent/api';
import { formatDuration } from '@nodeagent/api/helpers';
import { imageGcErrorCodes } from './errors.js';
import { formatBytes } from './format-bytes.js';
import { type ImageRecord, removalOrder } from './image-record.js';
import { createNodeImages, type InspectedImages, type NodeImages, type RemovedImage } from './node-images.js';
import { type ImageGcManagerOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { type ImageGcPlan, planImageGc, tooOldImages } from './plan.js';
import { aggregateText, freeSpace, type RemoveImage, removeAll } from './remove-images.js';
import { spaceToFree } from './space-to-free.js';

/** Keeps the file system of images below its threshold. Collections run one at a time, in the order of the calls. */
export interface ImageGcManager extends Startable {
  /** Collects at once and then every `periodMs`; if collection is off, it only updates the records. Never rejects. */
  start(signal?: AbortSignal): Promise<void>;
  /** Lists the images and those in use, and updates the records. An image's age counts from its first listing. */
  detectImages(signal?: AbortSignal): Promise<void>;
  /** What a collection would do now, and why. Changes nothing. */
  plan(signal?: AbortSignal): Promise<ImageGcPlan>;
  /**
   * Removes images above the maximum age, then unused ones until enough space is free. Rejects with a NodeAgentError with a code of
   * `imageGcErrorCodes`, even if some images were removed.
   */
  garbageCollect(signal?: AbortSignal): Promise<RemovedImage[]>;
  /** Removes all unused images above the minimum age, at any disk usage. Rejects likewise. */
  deleteUnusedImages(signal?: AbortSignal): Promise<RemovedImage[]>;
  /** The records after the last listing, in no order; times are milliseconds of the clock's monotonic time. */
  records(): ImageRecord[];
}

/** The maximum of a signed 64-bit number. */
const everything = 9_223_372_036_854_775_807n;

/** Creates an {@link ImageGcManager}. Does no I/O and starts no timer. Throws `InvalidOption` naming the field. */
export function createImageGcManager(options: ImageGcManagerOptions): ImageGcManager {
  return new Manager(resolveOptions(options));
}

class Manager implements ImageGcManager {
  readonly #options: ResolvedOptions;
  readonly #images: NodeImages;
  readonly #loop = createRunLoop((signal) => this.#run(signal));
  readonly #isOff: boolean;
  #startedAt: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#images = createNodeImages(options);
    const { imageGCHighThresholdPercent, imageMaximumGCAgeMs } = options.settings;
    this.#isOff = imageGCHighThresholdPercent === 100 && imageMaximumGCAgeMs === 0;
    this.#startedAt = options.clock.monotonic();
  }

  start(signal?: AbortSignal): Promise<void> {
    return this.#loop.start(signal);
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#last;
  }

  detectImages(signal?: AbortSignal): Promise<void> {
    return this.#inTurn(signal, async (until) => {
      await this.#images.detect(until);
    });
  }

  plan(signal?: AbortSignal): Promise<ImageGcPlan> {
    return this.#inTurn(signal, async (until) => {
      const { now, inUse, records } = await this.#images.inspect(until);
      const imageFs = await this.#images.fsStats(until);
      return planImageGc({ records: records.values(), inUse, now, startedAt: this.#startedAt, imageFs, settings: this.#options.settings });
    });
  }

  garbageCollect(signal?: AbortSignal): Promise<RemovedImage[]> {
    return this.#inTurn(signal, (until) => this.#collect(until));
  }

  deleteUnusedImages(signal?: AbortSignal): Promise<RemovedImage[]> {
    return this.#inTurn(signal, async (until) => {
      const removed: RemovedImage[] = [];
      await this.#removeForSpace(await this.#images.detect(until), everything, removed, until);
      return removed;
    });
  }

  records(): ImageRecord[] {
    return [...this.#images.records.values()];
  }

  /** Runs after all earlier calls; rejects if the signal aborts during the wait. */
  #inTurn<T>(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const until = signal ?? new AbortController().signal;
    const turn = this.#last.then(() => {
      until.throwIfAborted();
      return run(until);
    });
    this.#last = turn.catch(() => {});
    return abortable(turn, until);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock, logger, settings } = this.#options;
    this.#startedAt = clock.monotonic();
    let consecutiveFailures = 0;
    while (!signal.aborted) {
      try {
        await this.#inTurn<unknown>(signal, (until) => (this.#isOff ? this.#images.detect(until) : this.#collect(until)));
        consecutiveFailures = 0;
      } catch (error) {
        if (signal.aborted) break;
        consecutiveFailures++;
        logger.warn({ err: error, consecutiveFailures }, 'image garbage collection failed');
        if (!this.#isOff && consecutiveFailures > 1) this.#warnOfNode('ImageGCFailed', errorMessage(error));
      }
      await clock.sleep(settings.periodMs, signal).catch(() => {});
    }
  }

  async #collect(signal: AbortSignal): Promise<RemovedImage[]> {
    const { imageGCHighThresholdPercent, imageGCLowThresholdPercent } = this.#options.settings;
    const removed: RemovedImage[] = [];
    const inspected = await this.#images.detect(signal);
    await this.#removeOld(inspected, removed, signal);
    const usage = spaceToFree(await this.#images.fsStats(signal), imageGCHighThresholdPercent, imageGCLowThresholdPercent);
    if (usage === undefined) throw this.#failWithEvent(imageGcErrorCodes.invalidDiskCapacity, 'invalid capacity 0 on image filesystem');
    const { bytesToFree, usagePercent, capacityBytes } = usage;
    if (bytesToFree === undefined) return removed;
    const freedBytes = await this.#removeForSpace(inspected, bytesToFree, removed, signal);
    if (freedBytes < bytesToFree) {
      throw this.#failWithEvent(
        imageGcErrorCodes.freeDiskSpaceFailed,
        `Insufficient free disk space on the node's image filesystem (${usagePercent}% of ${formatBytes(capacityBytes)} used). ` +
          `Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). ` +
          'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
      );
    }
    return removed;
  }

  /** Removes the images above the maximum age. */
  async #removeOld({ now, inUse }: InspectedImages, removed: RemovedImage[], signal: AbortSignal): Promise<void> {
    const { imageMaximumGCAgeMs: maxAgeMs } = this.#options.settings;
    const order = removalOrder(this.#images.records.values(), inUse);
    const old = tooOldImages(order, { now, startedAt: this.#startedAt, maxAgeMs });
    const failures = await removeAll(old, this.#remover('age', removed, signal));
    signal.throwIfAborted();
    if (failures.length === 0) return;
    const message = `wanted to free images older than ${formatDuration(maxAgeMs)}, encountered errors in image deletion: ${aggregateText(failures)}`;
    throw new NodeAgentError(imageGcErrorCodes.oldImagesNotDeleted, message, { retryable: true });
  }

  /** Removes unused images until enough space is free; resolves to the bytes that it freed. */
  async #removeForSpace(
    { now, inUse }: InspectedImages,
    bytesToFree: bigint,
    removed: RemovedImage[],
    signal: AbortSignal,
  ): Promise<bigint> {
    const { clock, logger, onCollected, settings } = this.#options;
    const freeTime = clock.now();
    const order = removalOrder(this.#images.records.values(), inUse);
    const ages = { now, minAgeMs: settings.imageMinimumGCAgeMs };
    const { freedBytes, failures, remaining } = await freeSpace(order, ages, bytesToFree, this.#remover('space', removed, signal));
    signal.throwIfAborted();
    if (failures.length > 0) {
      const message = `wanted to free ${bytesToFree} bytes, but freed ${freedBytes} bytes space with errors in image deletion: ${aggregateText(failures)}`;
      throw new NodeAgentError(imageGcErrorCodes.imagesNotDeleted, message, { retryable: true });
    }
    try {
      await onCollected?.({ remaining, present: [...this.#images.records.keys()], freeTime });
    } catch (error) {
      logger.warn({ err: error }, 'onCollected failed');
    }
    return freedBytes;
  }

  #remover(reason: RemovedImage['reason'], removed: RemovedImage[], signal: AbortSignal): RemoveImage {
    return async (image) => {
      removed.push(await this.#images.remove(image, reason, signal));
    };
  }

  /** An error that is also recorded as an event. */
  #failWithEvent(code: string, message: string): NodeAgentError {
    this.#warnOfNode(code, message);
    return new NodeAgentError(code, message);
  }

  #warnOfNode(reason: string, message: string): void {
    const { nodeName, recorder } = this.#options;
    recorder.event({ kind: 'Node', name: nodeName, uid: nodeName }, 'Warning', reason, message);
  }
}
