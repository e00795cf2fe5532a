import { type Clock, withController } from '@nodeagent/api';
import type { MemoryEvents } from './options.js';

/** Of events within this time only the first makes a look come sooner. */
const notificationPeriodMs = 10_000;

/** Pauses between looks, until the signal aborts. */
export interface Pause {
  /** Waits for the next look, or for memory to become short before, also while the last look went on. */
  wait(): Promise<void>;
  /** When the wait ends, in milliseconds since 1970; undefined while nobody waits. */
  readonly until: number | undefined;
}

export function createPause(
  { clock, periodMs, memoryEvents }: { clock: Clock; periodMs: number; memoryEvents: MemoryEvents | undefined },
  signal: AbortSignal,
): Pause {
  let notified = false;
  let notifiedAt = Number.NEGATIVE_INFINITY;
  let wake = () => {};
  let until: number | undefined;
  memoryEvents?.watch(() => {
    if (clock.monotonic() - notifiedAt < notificationPeriodMs) return;
    notifiedAt = clock.monotonic();
    notified = true;
    wake();
  }, signal);
  return {
    get until() {
      return until;
    },
    async wait() {
      if (!notified) {
        const sleep = withController(signal, (own) => {
          wake = () => own.abort();
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
