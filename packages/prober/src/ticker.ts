import type { Clock } from '@nodeagent/api';

/** The next probe of a worker that is free at `now`, given the tick due at `dueAt`. Times are milliseconds of one clock. */
export interface NextTick {
  waitMs: number;
  /** The tick after this one. */
  dueAt: number;
  /** Ticks that passed while the worker was busy, except the one that it makes up for immediately. */
  missed: number;
}

/**
 * Ticks are multiples of the period since the worker's start, so that they do not drift. A worker that was busy during ticks probes
 * immediately, but only once; the other ticks are missed.
 */
export function nextTick(dueAt: number, periodMs: number, now: number): NextTick {
  if (now < dueAt) return { waitMs: dueAt - now, dueAt: dueAt + periodMs, missed: 0 };
  const missed = Math.floor((now - dueAt) / periodMs);
  return { waitMs: 0, dueAt: dueAt + (missed + 1) * periodMs, missed };
}

/** Waits for ticks and triggers. */
export interface Ticker {
  /** Resolves at the next tick, at a trigger or when stopped, to the ticks that were missed before it. One wait at a time. */
  wait(): Promise<number>;
  /** Ends the current or the next wait, and restarts the period. */
  trigger(): void;
  stop(): void;
}

export function createTicker(clock: Clock, periodMs: number): Ticker {
  let dueAt = clock.monotonic() + periodMs;
  let triggered = false;
  let stopped = false;
  let endWait: (() => void) | undefined;

  return {
    async wait() {
      if (stopped) return 0;
      let missed = 0;
      if (!triggered) {
        const next = nextTick(dueAt, periodMs, clock.monotonic());
        ({ dueAt, missed } = next);
        if (next.waitMs > 0) {
          await new Promise<void>((resolve) => {
            const timer = clock.setTimeout(resolve, next.waitMs);
            endWait = () => {
              timer.cancel();
              resolve();
            };
          });
          endWait = undefined;
        }
      }
      if (triggered) {
        triggered = false;
        dueAt = clock.monotonic() + periodMs;
      }
      return missed;
    },
    trigger() {
      triggered = true;
      endWait?.();
    },
    stop() {
      stopped = true;
      endWait?.();
    },
  };
}
