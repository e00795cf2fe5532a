import { type Clock, sleepWith, type Timer } from '@nodeagent/api';
import { TimerHeap } from './timer-heap.js';

/** Options of {@link createVirtualClock}. */
export interface VirtualClockOptions {
  /** Wall-clock start in milliseconds since 1970. Default 2026-01-01T00:00:00Z. */
  start?: number;
  /**
   * Real I/O that belongs to the test, such as `() => server.quiet()`: waited for wherever promises are, so before each timer fires and
   * before time is said to have passed. Default: there is none.
   */
  settleIO?: () => Promise<void>;
}

/**
 * A clock that stands still until told to move. Timers fire in the order of their time, those of the same time in the order they
 * were set, and after each one every promise that can settle has settled before the next fires: a run is the same each time.
 *
 * Only what waits on this clock is governed by it. Real I/O that is in flight (a file, a socket) is not waited for; put it behind a
 * port of your own, name it in `settleIO`, or await it in the test.
 */
export interface VirtualClock extends Clock {
  /** Moves `ms` milliseconds ahead, firing what falls due on the way. Rejects with what a timer's callback throws. */
  advance(ms: number): Promise<void>;
  /** Moves to the next timer and fires it; false if none is set. */
  advanceToNext(): Promise<boolean>;
  /** Lets settle what needs no time. */
  settle(): Promise<void>;
  /**
   * Moves ahead from timer to timer until `predicate` holds, which is asked after each; rejects if none is left that could change
   * it, or once the next one lies more than `limitMs` of virtual time away (default one hour).
   */
  until(predicate: () => boolean, limitMs?: number): Promise<void>;
  /** Moves ahead until the promise settles, and settles as it does; the limits are those of {@link until}. */
  run<T>(promise: Promise<T>, limitMs?: number): Promise<T>;
  /** Shifts the wall clock without firing timers, as an NTP step does; `monotonic` does not move. */
  jump(ms: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

/** A clock under the test's command, see {@link VirtualClock}. */
export function createVirtualClock({ start = Date.UTC(2026, 0, 1), settleIO }: VirtualClockOptions = {}): VirtualClock {
  const timers = new TimerHeap();
  let elapsed = 0;
  let offset = start;
  let order = 0;
  const settle =
    settleIO === undefined
      ? settlePromises
      : async () => {
          await settlePromises();
          await settleIO();
        };

  const setTimer = (callback: () => void, ms: number): Timer => {
    const timer = { at: elapsed + Math.max(0, ms || 0), order: order++, callback, done: false };
    timers.push(timer);
    return { cancel: () => timers.cancel(timer) };
  };

  const fireNext = async () => {
    const next = timers.pop();
    if (next === undefined) return;
    elapsed = next.at;
    next.callback();
    await settle();
  };

  const until = async (predicate: () => boolean, limitMs = 3_600_000) => {
    const limit = elapsed + limitMs;
    await settle();
    while (!predicate()) {
      const next = timers.peek();
      if (next === undefined) throw new Error('virtual clock: the condition does not hold and no timer is set that could change it');
      if (next.at > limit) throw new Error(`virtual clock: the condition does not hold after ${limitMs} ms of virtual time`);
      await fireNext();
    }
  };

  return {
    // Whole milliseconds, as a wall clock has them, though a timer may lie between two.
    now: () => Math.floor(offset + elapsed),
    monotonic: () => elapsed,
    setTimeout: setTimer,
    sleep: sleepWith(setTimer),
    async advance(ms) {
      const target = elapsed + ms;
      await settle();
      for (let next = timers.peek(); next !== undefined && next.at <= target; next = timers.peek()) await fireNext();
      elapsed = target;
    },
    async advanceToNext() {
      await settle();
      if (timers.size === 0) return false;
      await fireNext();
      return true;
    },
    settle,
    until,
    async run(promise, limitMs) {
      let settled = false;
      const mark = () => {
        settled = true;
      };
      promise.then(mark, mark);
      await until(() => settled, limitMs);
      return promise;
    },
    jump(ms) {
      offset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Runs every promise reaction that can run: setImmediate comes after all of them, twice for what defers itself once. */
function settlePromises(): Promise<void> {
  return new Promise((resolve) => setImmediate(setImmediate, resolve));
}
