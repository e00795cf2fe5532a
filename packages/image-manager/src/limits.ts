import type { Clock } from '@nodeagent/api';

/** Limits the number of concurrent holders; waiters are served in order. */
export interface Semaphore {
  /** Resolves with the function that releases the slot; rejects with the signal's reason if it aborts during the wait. */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

/** Without `limit` there is no wait. */
export function createSemaphore(limit: number | undefined): Semaphore {
  let holders = 0;
  const waiting: (() => void)[] = [];
  const release = () => {
    holders--;
    waiting.shift()?.();
  };
  const enter = () => {
    holders++;
    let held = true;
    return () => {
      if (held) release();
      held = false;
    };
  };
  return {
    acquire(signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (limit === undefined || holders < limit) return resolve(enter());
        const proceed = () => {
          signal?.removeEventListener('abort', abort);
          resolve(enter());
        };
        const abort = () => {
          waiting.splice(waiting.indexOf(proceed), 1);
          reject(signal?.reason);
        };
        waiting.push(proceed);
        signal?.addEventListener('abort', abort, { once: true });
      });
    },
  };
}

/** Returns a function that takes a token: whether one more may start now, with `qps` per second on average and `burst` at once. A `qps` of 0 means no limit. */
export function createTokenBucket(qps: number, burst: number, clock: Pick<Clock, 'monotonic'>): () => boolean {
  let tokens = burst;
  let last = clock.monotonic();
  return () => {
    if (qps === 0) return true;
    const now = clock.monotonic();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * qps);
    last = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
