import type { Clock } from '@nodeagent/api';

/** Limits the rate of sequential calls. */
export interface RateLimiter {
  /** Resolves when the next call may be made; rejects with the signal's reason when it aborts first. */
  next(signal: AbortSignal): Promise<void>;
}

/** A token bucket: `qps` calls a second with a burst of `burst`; a `qps` of 0 means no limit. */
export function createRateLimiter(qps: number, burst: number, clock: Clock): RateLimiter {
  let tokens = burst;
  let last = clock.monotonic();
  const refill = () => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * qps);
    last = now;
  };
  return {
    async next(signal) {
      if (qps === 0) return;
      refill();
      if (tokens < 1) {
        await clock.sleep(Math.ceil(((1 - tokens) / qps) * 1000), signal);
        refill();
      }
      tokens -= 1;
    },
  };
}
