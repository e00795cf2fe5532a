import type { Clock, Timer } from '@nodeagent/api';

interface Pending {
  at: number;
  order: number;
  callback: () => void;
}

/** Options of {@link createVirtualClock}. */
export interface VirtualClockOptions {
  /** Wall-clock start in milliseconds since 1970. Default 2026-01-01T00:00:00Z. */
  start?: number;
}

/**
 * A clock that stands still until told to move. Timers fire in the order of their time, those of the same time in the order they
 * were set, and after each one every promise that can settle has settled before the next fires.
 */
export interface VirtualClock extends Clock {
  /** Moves `ms` milliseconds ahead, firing what falls due on the way. */
  advance(ms: number): Promise<void>;
  /** Moves to the next timer and fires it; false if none is set. */
  advanceToNext(): Promise<boolean>;
  /** Lets settle what needs no time. */
  settle(): Promise<void>;
  /** Moves ahead from timer to timer until `predicate` holds; throws after `limitMs` of virtual time (default one hour). */
  until(predicate: () => boolean, limitMs?: number): Promise<void>;
  /** Shifts the wall clock without firing timers, as an NTP step does. */
  jump(ms: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

export function createVirtualClock({ start = Date.UTC(2026, 0, 1) }: VirtualClockOptions = {}): VirtualClock {
  const timers = new TimerHeap();
  let elapsed = 0;
  let offset = start;
  let order = 0;

  const setTimer = (callback: () => void, ms: number): Timer => {
    const pending = { at: elapsed + Math.max(0, ms), order: order++, callback };
    timers.push(pending);
    return { cancel: () => timers.remove(pending) };
  };

  const fireNext = async () => {
    const next = timers.pop();
    if (next === undefined) return;
    elapsed = Math.max(elapsed, next.at);
    next.callback();
    await settle();
  };

  return {
    now: () => offset + elapsed,
    monotonic: () => elapsed,
    setTimeout: setTimer,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const abort = () => {
          timer.cancel();
          reject(signal?.reason);
        };
        const timer = setTimer(() => {
          signal?.removeEventListener('abort', abort);
          resolve();
        }, ms);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
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
    async until(predicate, limitMs = 3_600_000) {
      const limit = elapsed + limitMs;
      await settle();
      while (!predicate()) {
        const next = timers.peek();
        if (next === undefined) throw new Error('virtual clock: the condition does not hold and no timer is set that could change it');
        if (next.at > limit) throw new Error(`virtual clock: the condition does not hold after ${limitMs} ms of virtual time`);
        await fireNext();
      }
    },
    jump(ms) {
      offset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}

/** Runs every promise reaction that can run: setImmediate comes after all of them, twice for what file-less I/O defers once. */
async function settle(): Promise<void> {
  for (let round = 0; round < 2; round++) await new Promise<void>((resolve) => setImmediate(resolve));
}

/** A binary heap by time, then by order of setting. */
class TimerHeap {
  readonly #items: Pending[] = [];
  readonly #cancelled = new Set<Pending>();

  get size(): number {
    return this.#items.length - this.#cancelled.size;
  }

  push(item: Pending): void {
    const items = this.#items;
    let index = items.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(item, items[parent] as Pending)) break;
      items[index] = items[parent] as Pending;
      index = parent;
    }
    items[index] = item;
  }

  /** Cancelled timers stay in the heap until they reach its top. */
  remove(item: Pending): void {
    if (this.#items.includes(item)) this.#cancelled.add(item);
  }

  peek(): Pending | undefined {
    for (;;) {
      const top = this.#items[0];
      if (top === undefined || !this.#cancelled.delete(top)) return top;
      this.#removeTop();
    }
  }

  pop(): Pending | undefined {
    const top = this.peek();
    if (top !== undefined) this.#removeTop();
    return top;
  }

  #removeTop(): void {
    const items = this.#items;
    const last = items.pop();
    if (last === undefined || items.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && before(items[child + 1] as Pending, items[child] as Pending)) child++;
      if (!before(items[child] as Pending, last)) break;
      items[index] = items[child] as Pending;
      index = child;
    }
    items[index] = last;
  }
}

function before(a: Pending, b: Pending): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
