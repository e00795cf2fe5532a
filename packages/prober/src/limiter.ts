/** Limits the number of concurrent actions; others wait in order. */
export interface Limiter {
  /** Rejects with the signal's reason if it aborts before the action has started. */
  run<T>(action: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createLimiter(maxRunning: number): Limiter {
  const waiting = new Set<() => void>();
  let running = 0;

  const turn = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        running++;
        resolve();
      };
      const leave = () => {
        waiting.delete(begin);
        reject(signal.reason);
      };
      if (running < maxRunning) return begin();
      waiting.add(begin);
      signal.addEventListener('abort', leave, { once: true });
    });

  return {
    async run(action, signal) {
      signal.throwIfAborted();
      await turn(signal);
      try {
        return await action();
      } finally {
        running--;
        for (const next of waiting) {
          waiting.delete(next);
          next();
          break;
        }
      }
    },
  };
}
