import type { Random } from '@nodeagent/api';

/** Delays between failed attempts of one informer; all times in milliseconds. */
export interface WatchBackoff {
  /** The next delay, from 0.8 to 1.6 s at first and from 30 to 60 s at last; it starts anew after two minutes without one. */
  next(now: number): number;
}

const firstMs = 800;
const longestMs = 30_000;
const resetMs = 120_000;

/** As client-go's reflectors wait: doubled each time, and each delay stretched by chance to up to twice its length. */
export function createWatchBackoff(random: Random): WatchBackoff {
  let delay = firstMs;
  let last = Number.NEGATIVE_INFINITY;
  return {
    next(now) {
      if (now - last > resetMs) delay = firstMs;
      last = now;
      const jittered = delay * (1 + random());
      delay = Math.min(2 * delay, longestMs);
      return Math.round(jittered);
    },
  };
}
