import type { Clock } from '@nodeagent/api';

/** Lets a limited number of holders in at once, the others in the order in which they came. */
export interface Semaphore {
  /** Resolves with the function that lets the next one in; rejects with the signal's reason when it aborts while waiting. */
  acquire(signal?: AbortSignal): Promise<() => void>;
}

/** Without `limit` everybody is let in. */
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

/** Whether one more may begin now, at `qps` a second in the long run and `burst` at once; a `qps` of 0 always lets it. */
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
