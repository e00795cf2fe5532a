import { type Clock, NodeAgentError, sleepWith, type Timer } from '@nodeagent/api';
import { testingErrorCodes } from '../errors.js';
import { nextTurn } from './next-turn.js';
import { TimerHeap } from './timer-heap.js';

/** Options of {@link createVirtualClock}. */
export interface VirtualClockOptions {
  /** Wall-clock start in milliseconds since 1970. Default 2026-01-01T00:00:00Z. */
  start?: number;
  /**
   * Waits for real I/O of the test, such as `() => server.quiet()`. The clock calls it wherever it settles promises: before each timer fires
   * and before an advance resolves. Default: no real I/O.
   */
  settleIO?: () => Promise<void>;
}

/**
 * A clock that advances only by a call. Timers fire in the order of their due time, those of the same time in the order they
 * were set, and all promises that can settle do so before the next timer fires: runs are deterministic.
 *
 * The clock does not wait for real I/O in flight (a file, a socket); put it behind a
 * port, wait for it in `settleIO`, or await it in the test.
 */
export interface VirtualClock extends Clock {
  /** Advances by `ms` milliseconds and fires the timers that are due. Rejects with the error of a timer's callback. */
  advance(ms: number): Promise<void>;
  /** Advances to the next timer and fires it; false if there is none. */
  advanceToNext(): Promise<boolean>;
  /** Settles all promises that need no time. */
  settle(): Promise<void>;
  /**
   * Advances timer by timer until `predicate` holds, which is checked after each; rejects with `ConditionNotMet` if no timer is left,
   * or if the next one is more than `limitMs` of virtual time away (default one hour).
   */
  until(predicate: () => boolean, limitMs?: number): Promise<void>;
  /** Advances until the promise settles, and returns its result; the limits are those of {@link until}. */
  run<T>(promise: Promise<T>, limitMs?: number): Promise<T>;
  /** Shifts the wall clock without firing timers, as an NTP step does; `monotonic` does not change. */
  jump(ms: number): void;
  /** Number of pending timers. */
  readonly pending: number;
}

/** Creates a clock that the test controls, see {@link VirtualClock}. */
export function createVirtualClock(options: VirtualClockOptions = {}): VirtualClock {
  const { start = Date.UTC(2026, 0, 1), settleIO } = options;
  const timers = new TimerHeap();
  let elapsed = 0;
  let offset = start;
  let order = 0;
  const settle =
    settleIO === undefined
      ? nextTurn
      : async () => {
          await nextTurn();
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
      if (next === undefined) throw notMet('and no timer is pending');
      if (next.at > limit) throw notMet(`after ${limitMs} ms of virtual time`);
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

const notMet = (why: string) => new NodeAgentError(testingErrorCodes.conditionNotMet, `virtual clock: the condition does not hold ${why}`);
