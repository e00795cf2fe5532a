import type { Clock } from '@nodeagent/api';

/** Whether what is waited for is there, or will not be. */
interface Progress {
  done: boolean;
  failure?: string;
}

/** Those who wait for something that is looked at when it may have changed. */
export interface Waiters {
  /**
   * Resolves when done, to the failure if there is one, and to `late` when not done in time; rejects with the signal's reason when it
   * aborts. Looks once at once.
   */
  wait(progress: () => Progress, timeoutMs: number, late: string, signal: AbortSignal): Promise<string | undefined>;
  /** Looks for all who wait. */
  check(): void;
}

export function createWaiters(clock: Clock): Waiters {
  const waiting = new Set<() => void>();
  return {
    wait: (progress, timeoutMs, late, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const end = (settle: () => void) => {
          waiting.delete(look);
          timer.cancel();
          signal.removeEventListener('abort', abort);
          settle();
        };
        const abort = () => end(() => reject(signal.reason));
        const look = () => {
          const { done, failure } = progress();
          if (done) end(() => resolve(failure));
        };
        const timer = clock.setTimeout(() => end(() => resolve(late)), timeoutMs);
        signal.addEventListener('abort', abort, { once: true });
        waiting.add(look);
        look();
      }),
    check() {
      for (const look of [...waiting]) look();
    },
  };
}
