import type { Clock } from '@nodeagent/api';

/** Progress of a wait; `failure` if it is done without success. */
export interface Progress {
  done: boolean;
  failure?: string;
}

/** Waits for conditions that are checked when {@link Waiters.check} is called. */
export interface Waiters {
  /**
   * Resolves when done, to the failure if there is one, and to `late` after the timeout; rejects with the signal's reason when it
   * aborts. Checks once at the call.
   */
  wait(progress: () => Progress, timeoutMs: number, late: string, signal: AbortSignal): Promise<string | undefined>;
  /** Checks all waits. */
  check(): void;
}

/** Creates waits without conditions. A timer runs only during a wait. */
export function createWaiters(clock: Clock): Waiters {
  const waiting = new Set<() => void>();
  return {
    wait: (progress, timeoutMs, late, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const end = (settle: () => void) => {
          waiting.delete(evaluate);
          timer.cancel();
          signal.removeEventListener('abort', abort);
          settle();
        };
        const abort = () => end(() => reject(signal.reason));
        const evaluate = () => {
          const { done, failure } = progress();
          if (done) end(() => resolve(failure));
        };
        const timer = clock.setTimeout(() => end(() => resolve(late)), timeoutMs);
        signal.addEventListener('abort', abort, { once: true });
        waiting.add(evaluate);
        evaluate();
      }),
    check() {
      for (const evaluate of [...waiting]) evaluate();
    },
  };
}
