import { systemClock } from '../clock/system-clock.js';
import type { Clock } from '../contracts/clock.js';

/**
 * Makes one call of the file system: by `direct` in this thread, or by `inThread` while the disk is slow. Settles as the one that it used.
 */
export type FileCall = <T>(direct: () => T, inThread: () => Promise<T>) => Promise<T>;

/** Milliseconds of a direct call after which the disk counts as slow: for longer the event loop must not wait. */
const slowMs = 100;
/** Milliseconds for which calls then run in threads. */
const cautionMs = 60_000;

/**
 * For calls that rarely wait for a disk, such as creating a folder or a small file without a sync. A thread takes three to ten times the CPU, and a
 * turn of the event loop. A direct call that takes longer than 100 ms moves those of the next minute to threads: docs/decisions/0141.
 */
export function createFileCall(clock: Pick<Clock, 'monotonic'> = systemClock): FileCall {
  let slowUntil = Number.NEGATIVE_INFINITY;
  return async (direct, inThread) => {
    const start = clock.monotonic();
    if (start < slowUntil) return inThread();
    try {
      return direct();
    } finally {
      const end = clock.monotonic();
      if (end - start > slowMs) slowUntil = end + cautionMs;
    }
  };
}
