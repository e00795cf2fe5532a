import type { Clock } from '@nodeagent/api';

/** The sleep of a loop that looks at its state each time it wakes: until a time, until {@link WakeableWait.wake}, until the end. */
export interface WakeableWait {
  /** Resolves at `due` (monotonic milliseconds; infinity sets no timer), when woken or when the signal aborts. One waiter at a time. */
  until(due: number, signal: AbortSignal): Promise<void>;
  /** Ends the wait that runs, if one does. */
  wake(): void;
}

export function createWakeableWait(clock: Clock): WakeableWait {
  let wake: (() => void) | undefined;
  return {
    until: (due, signal) =>
      new Promise((resolve) => {
        const done = () => {
          timer?.cancel();
          signal.removeEventListener('abort', done);
          wake = undefined;
          resolve();
        };
        const timer = due === Number.POSITIVE_INFINITY ? undefined : clock.setTimeout(done, due - clock.monotonic());
        signal.addEventListener('abort', done, { once: true });
        wake = done;
      }),
    wake: () => wake?.(),
  };
}
