import { type Clock, withController } from '@nodeagent/api';
import type { MemoryEvents } from './options.js';

/** Within this time only the first event triggers an early evaluation. */
const notificationPeriodMs = 10_000;

/** The pause between evaluations. */
export interface Pause {
  /** Waits until the next evaluation is due, or a memory event arrives or has arrived since the last evaluation started. */
  wait(): Promise<void>;
  /** End of the current wait in milliseconds since 1970; undefined without one. */
  readonly until: number | undefined;
}

export function createPause(
  { clock, periodMs, memoryEvents }: { clock: Clock; periodMs: number; memoryEvents: MemoryEvents | undefined },
  signal: AbortSignal,
): Pause {
  let notified = false;
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let endWait = () => {};
  let until: number | undefined;
  memoryEvents?.watch(() => {
    if (clock.monotonic() - notifiedAt < notificationPeriodMs) return;
    notifiedAt = clock.monotonic();
    notified = true;
    endWait();
  }, signal);
  return {
    get until() {
      return until;
    },
    async wait() {
      if (!notified) {
        const sleep = withController(signal, (own) => {
          endWait = () => own.abort();
          until = clock.now() + periodMs;
          return clock.sleep(periodMs, own.signal);
        });
        await sleep.catch(() => {});
        until = undefined;
      }
      notified = false;
    },
  };
}
