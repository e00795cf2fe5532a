import type { Clock, Timer } from '@nodeagent/api';

/** Detects that no data was received for too long. Uses one timer. */
export interface IdleLimit {
  /** Restarts with another limit. */
  set(ms: number): void;
  /** Call it when data was received. */
  touch(): void;
  cancel(): void;
}

export function createIdleLimit(clock: Clock, onIdle: () => void): IdleLimit {
  let limit = 0;
  let last = 0;
  let timer: Timer | undefined;
  const wait = (ms: number) => {
    timer = clock.setTimeout(() => {
      const left = last + limit - clock.monotonic();
      if (left > 0) wait(left);
      else onIdle();
    }, ms);
  };
  return {
    set(ms) {
      timer?.cancel();
      limit = ms;
      last = clock.monotonic();
      wait(ms);
    },
    touch() {
      last = clock.monotonic();
    },
    cancel: () => timer?.cancel(),
  };
}
