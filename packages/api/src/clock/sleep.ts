import type { Clock } from '../contracts/clock.js';

/** Implements {@link Clock.sleep} with a clock's `setTimeout`, for implementations of {@link Clock}. */
export function sleepWith(setTimer: Clock['setTimeout']): Clock['sleep'] {
  return (ms, signal) =>
    new Promise((resolve, reject) => {
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
}
