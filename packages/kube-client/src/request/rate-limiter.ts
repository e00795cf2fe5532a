import type { Clock, Timer } from '@nodeagent/api';

/** Limits the rate of requests, which proceed in the order of their calls. */
export interface RateLimiter {
  /** Resolves when the request may be sent; rejects with the signal's reason when it aborts first. */
  acquire(signal?: AbortSignal): Promise<void>;
}

/** A token bucket: `qps` requests a second with a burst of `burst`; a `qps` of 0 means no limit. */
export function createRateLimiter(qps: number, burst: number, clock: Clock): RateLimiter {
  const waiting = new Set<() => void>();
  let tokens = burst;
  let last = clock.monotonic();
  let timer: Timer | undefined;

  const refill = () => {
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * qps);
    last = now;
  };
  const serve = () => {
    timer = undefined;
    refill();
    for (const proceed of waiting) {
      if (tokens < 1 - 1e-9) break;
      tokens -= 1;
      waiting.delete(proceed);
      proceed();
    }
    if (waiting.size > 0) timer = clock.setTimeout(serve, Math.ceil(((1 - tokens) / qps) * 1000));
  };

  return {
    async acquire(signal) {
      signal?.throwIfAborted();
      if (qps === 0) return;
      refill();
      if (waiting.size === 0 && tokens >= 1) {
        tokens -= 1;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const abort = () => {
          waiting.delete(proceed);
          if (waiting.size === 0) {
            timer?.cancel();
            timer = undefined;
          }
          reject(signal?.reason);
        };
        const proceed = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        waiting.add(proceed);
        signal?.addEventListener('abort', abort, { once: true });
        timer ??= clock.setTimeout(serve, Math.ceil(((1 - tokens) / qps) * 1000));
      });
    },
  };
}
