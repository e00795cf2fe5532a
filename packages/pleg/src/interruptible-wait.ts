import type { Clock } from '@nodeagent/api';

/** The wait of a loop that checks its state after each wait: until a time, an interruption or the end of the loop. */
export interface InterruptibleWait {
  /**
   * Resolves at `due` (monotonic milliseconds; infinity sets no timer), on {@link interrupt} or when the signal aborts. One waiter at a time.
   */
  until(due: number, signal: AbortSignal): Promise<void>;
  /** Ends the current wait, if any. */
  interrupt(): void;
  /** Ends the current wait if it would end after `due`: for what the loop must do at that time. */
  interruptAfter(due: number): void;
}

export function createInterruptibleWait(clock: Clock): InterruptibleWait {
  let interrupt: (() => void) | undefined;
  let endsAt = 0;
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
        endsAt = due;
      }),
    interrupt: () => interrupt?.(),
    interruptAfter(due) {
      if (due < endsAt) interrupt?.();
    },
  };
}
