import type { Random } from '@nodeagent/api';

/** Back-off of one informer; all times in milliseconds. */
export interface WatchBackoff {
  /** The next delay: 0.8 to 1.6 s at first, up to 30 to 60 s. Reset after two minutes without a failure. */
  next(now: number): number;
}

const firstMs = 800;
const maxDelayMs = 30_000;
const resetMs = 120_000;

/** The back-off of client-go's reflectors: doubled each time, with jitter up to twice the delay. */
export function createWatchBackoff(random: Random): WatchBackoff {
  let delay = firstMs;
  let last = Number.NEGATIVE_INFINITY;
  return {
    next(now) {
      if (now - last > resetMs) delay = firstMs;
      last = now;
      const jittered = delay * (1 + random());
      delay = Math.min(2 * delay, maxDelayMs);
      return Math.round(jittered);
    },
  };
}
