import {
  abandonAtDeadline,
  abortable,
  checkOptionNames,
  createRunLoop,
  errorMessage,
  formatDuration,
  NodeAgentError,
  type OptionNames,
  type Startable,
} from '@nodeagent/api';
import { imageGcErrorCodes, timedOut } from './errors.js';
import { formatBytes } from './format-bytes.js';
import { type ImageRecord, removalOrder, updateImageRecords } from './image-record.js';
import { type ImageGcManagerOptions, resolveOptions } from './options.js';
import { type ImageGcPlan, planImageGc, tooOldImages } from './plan.js';
import { aggregateText, freeSpace, type RemoveImage, removeAll } from './remove-images.js';
import { spaceToFree } from './space-to-free.js';

/** An image that a collection removed. */
export interface RemovedImage {
  id: string;
  /** In bytes. */
  size: number;
  reason: 'age' | 'space';
}

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

const optionNames: OptionNames<ImageGcManagerOptions> = {
  nodeName: true,
  images: true,
  imagesInUse: true,
  imageFsStats: true,
  onCollected: true,
  settings: {
    imageMinimumGCAgeMs: true,
    imageMaximumGCAgeMs: true,
    imageGCHighThresholdPercent: true,
    imageGCLowThresholdPercent: true,
    periodMs: true,
    runtimeRequestTimeoutMs: true,
  },
  clock: true,
  recorder: true,
  logger: true,
  metrics: true,
};

/** Creates an {@link ImageGcManager}. Does no I/O and starts no timer. Throws `InvalidOption` naming the field. */
export function createImageGcManager(options: ImageGcManagerOptions): ImageGcManager {
  checkOptionNames('createImageGcManager', options, optionNames);
  const { nodeName, images, imagesInUse, imageFsStats, onCollected, settings, clock, recorder, logger, metrics } = resolveOptions(options);
  const { imageGCHighThresholdPercent, imageGCLowThresholdPercent, imageMinimumGCAgeMs: minAgeMs } = settings;
  const { imageMaximumGCAgeMs: maxAgeMs } = settings;
  const isOff = imageGCHighThresholdPercent === 100 && maxAgeMs === 0;
  const node = { kind: 'Node', name: nodeName, uid: nodeName };
  const collected = metrics.counter({
    name: 'kubelet_image_garbage_collected_total',
    help: 'Total number of images garbage collected by the kubelet, whether through disk usage or image age.',
    labels: ['reason'],
  });

  let records = new Map<string, ImageRecord>();
  let startedAt = clock.monotonic();
  let last: Promise<unknown> = Promise.resolve();
  const never = new AbortController().signal;

  /** Runs after all earlier calls; rejects if the signal aborts during the wait. */
  const inTurn = <T>(signal: AbortSignal | undefined, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const until = signal ?? never;
    const turn = last.then(() => {
      until.throwIfAborted();
      return run(until);
    });
    last = turn.catch(() => {});
    return abortable(turn, until);
  };
  const withTimeout = <T>(what: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>) => {
    const timeoutMs = settings.runtimeRequestTimeoutMs;
    return abandonAtDeadline({ clock, timeoutMs, signal, error: () => timedOut(what, timeoutMs) }, call);
  };
  const ask = async <T>(what: string, code: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    try {
      return await withTimeout(what, signal, call);
    } catch (cause) {
      signal.throwIfAborted();
      throw new NodeAgentError(code, errorMessage(cause), { cause, retryable: true });
    }
  };
  const inspect = async (signal: AbortSignal) => {
    const detectTime = clock.monotonic();
    const listed = await ask('the list of images', imageGcErrorCodes.imagesUnknown, signal, (bound) => images.listImages(bound));
    const inUse = new Set(await ask('the images in use', imageGcErrorCodes.useUnknown, signal, (bound) => imagesInUse(bound)));
    return { now: detectTime, inUse, records: updateImageRecords(records, listed, inUse, detectTime, clock.monotonic()) };
  };
  const detect = async (signal: AbortSignal) => {
    const found = await inspect(signal);
    records = found.records;
    return found;
  };
  const stats = (signal: AbortSignal) =>
    ask('the image file system', imageGcErrorCodes.imageFsUnknown, signal, (bound) => imageFsStats(bound));

  const remover =
    (reason: RemovedImage['reason'], removed: RemovedImage[], signal: AbortSignal): RemoveImage =>
    async ({ id, size }) => {
      try {
        await withTimeout(`the removal of image ${id}`, signal, (bound) => images.removeImage(id, bound));
      } catch (error) {
        signal.throwIfAborted();
        logger.warn({ image: id, err: error }, 'failed to remove an image');
        throw error;
      }
      records.delete(id);
      removed.push({ id, size: Number(size), reason });
      collected.inc({ reason });
      logger.info({ image: id, size: formatBytes(size), reason }, 'removed an image');
    };
  const removeForSpace = async (
    candidates: readonly ImageRecord[],
    now: number,
    bytesToFree: bigint,
    removed: RemovedImage[],
    signal: AbortSignal,
  ) => {
    const freeTime = clock.now();
    const freed = await freeSpace(candidates, { now, minAgeMs }, bytesToFree, remover('space', removed, signal));
    signal.throwIfAborted();
    const { freedBytes, failures, remaining } = freed;
    if (failures.length > 0) {
      const message = `wanted to free ${bytesToFree} bytes, but freed ${freedBytes} bytes space with errors in image deletion: ${aggregateText(failures)}`;
      throw new NodeAgentError(imageGcErrorCodes.imagesNotDeleted, message, { retryable: true });
    }
    try {
      await onCollected?.({ remaining, present: [...records.keys()], freeTime });
    } catch (error) {
      logger.warn({ err: error }, 'onCollected failed');
    }
    return freedBytes;
  };
  /** An error that is also recorded as an event. */
  const failWithEvent = (code: string, message: string) => {
    recorder.event(node, 'Warning', code, message);
    return new NodeAgentError(code, message);
  };

  const collect = async (signal: AbortSignal): Promise<RemovedImage[]> => {
    const removed: RemovedImage[] = [];
    const { now, inUse } = await detect(signal);
    const failures = await removeAll(
      tooOldImages(removalOrder(records.values(), inUse), { now, startedAt, maxAgeMs }),
      remover('age', removed, signal),
    );
    signal.throwIfAborted();
    if (failures.length > 0) {
      const message = `wanted to free images older than ${formatDuration(maxAgeMs)}, encountered errors in image deletion: ${aggregateText(failures)}`;
      throw new NodeAgentError(imageGcErrorCodes.oldImagesNotDeleted, message, { retryable: true });
    }
    const usage = spaceToFree(await stats(signal), imageGCHighThresholdPercent, imageGCLowThresholdPercent);
    if (usage === undefined) throw failWithEvent(imageGcErrorCodes.invalidDiskCapacity, 'invalid capacity 0 on image filesystem');
    const { bytesToFree, usagePercent, capacityBytes } = usage;
    if (bytesToFree === undefined) return removed;
    const freedBytes = await removeForSpace(removalOrder(records.values(), inUse), now, bytesToFree, removed, signal);
    if (freedBytes < bytesToFree) {
      throw failWithEvent(
        imageGcErrorCodes.freeDiskSpaceFailed,
        `Insufficient free disk space on the node's image filesystem (${usagePercent}% of ${formatBytes(capacityBytes)} used). ` +
          `Failed to free sufficient space by deleting unused images (freed ${freedBytes} bytes). ` +
          'Investigate disk usage, as it could be used by active images, logs, volumes, or other data.',
      );
    }
    return removed;
  };

  const loop = createRunLoop(async (signal) => {
    startedAt = clock.monotonic();
    let consecutiveFailures = 0;
    while (!signal.aborted) {
      try {
        await inTurn<unknown>(signal, isOff ? detect : collect);
        consecutiveFailures = 0;
      } catch (error) {
        if (signal.aborted) break;
        consecutiveFailures++;
        logger.warn({ err: error, consecutiveFailures }, 'image garbage collection failed');
        if (!isOff && consecutiveFailures > 1) recorder.event(node, 'Warning', 'ImageGCFailed', errorMessage(error));
      }
      await clock.sleep(settings.periodMs, signal).catch(() => {});
    }
  });

  return {
    start: loop.start,
    async stop() {
      await loop.stop();
      await last;
    },
    detectImages: (signal) =>
      inTurn(signal, async (until) => {
        await detect(until);
      }),
    plan: (signal) =>
      inTurn(signal, async (until) => {
        const { now, inUse, records: found } = await inspect(until);
        return planImageGc({ records: found.values(), inUse, now, startedAt, imageFs: await stats(until), settings });
      }),
    garbageCollect: (signal) => inTurn(signal, collect),
    deleteUnusedImages: (signal) =>
      inTurn(signal, async (until) => {
        const removed: RemovedImage[] = [];
        const { now, inUse } = await detect(until);
        await removeForSpace(removalOrder(records.values(), inUse), now, everything, removed, until);
        return removed;
      }),
    records: () => [...records.values()],
  };
}
