import type { Clock } from '@nodeagent/api';

/** The wait of a loop that checks its state after each wait: until a time, a call of {@link InterruptibleWait.interrupt} or the end of the loop. */
export interface InterruptibleWait {
  /**
   * Resolves at `due` (monotonic milliseconds; infinity sets no timer), on {@link interrupt} or when the signal aborts. One waiter at a time.
   */
  until(due: number, signal: AbortSignal): Promise<void>;
  /** Ends the current wait, if any. */
  interrupt(): void;
}

export function createInterruptibleWait(clock: Clock): InterruptibleWait {
  let interrupt: (() => void) | undefined;
  return {
    until: (due, signal) =>
      new Promise((resolve) => {
        const done = () => {
          timer?.cancel();
          signal.removeEventListener('abort', done);
          interrupt = undefined;
          resolve();
        };
        const timer = due === Number.POSITIVE_INFINITY ? undefined : clock.setTimeout(done, due - clock.monotonic());
        signal.addEventListener('abort', done, { once: true });
        interrupt = done;
      }),
    interrupt: () => interrupt?.(),
  };
}
