import type { Clock, Timer } from '@nodeagent/api';

/** How often the failed sync of a pod may still be repeated. */
export interface Retries {
  /** Retries left, a fraction included. */
  left: number;
  /** Monotonic milliseconds of the last one. */
  at: number;
}

/** Retries without a pause: more than a pod needs whose containers change their state several times within a back-off. */
const maxRetries = 10;

/**
 * Takes a retry: one more each back-off period, at most {@link maxRetries}. `waitMs`: how long it must wait. A kubelet repeats a failed sync
 * at each event of the pod; if the sync itself causes the event, it does so without end.
 */
export function takeRetry(before: Retries | undefined, now: number, backOffPeriodMs: number): { after: Retries; waitMs: number } {
  const { left, at } = before ?? { left: maxRetries, at: now };
  const available = Math.min(maxRetries, left + (now - at) / backOffPeriodMs);
  return { after: { left: Math.max(-1, available - 1), at: now }, waitMs: Math.max(0, (1 - available) * backOffPeriodMs) };
}

/** Delays the retries of a pod's failed syncs if there are too many. */
export interface RetryGate {
  /** Whether the last sync succeeded, so that the next one is no retry. */
  readonly isOpen: boolean;
  /** A sync has ended: it is repeated after `delayMs` at the latest; undefined if it succeeded. */
  settle(delayMs: number | undefined): void;
  /** Calls `retry`: at once if the back-off has ended or there is a retry left, else later. Only one retry waits at a time. */
  pass(retry: () => void): void;
  /** Forgets the retry that waits; `retry` must call it. Idempotent. */
  cancel(): void;
}

export function createRetryGate(clock: Pick<Clock, 'monotonic' | 'setTimeout'>, backOffPeriodMs: number): RetryGate {
  let retries: Retries | undefined;
  /** When the back-off of the last sync ends, in monotonic milliseconds; undefined after a successful one. */
  let endsAt: number | undefined;
  let waiting: Timer | undefined;
  return {
    get isOpen() {
      return endsAt === undefined;
    },
    settle(delayMs) {
      endsAt = delayMs === undefined ? undefined : clock.monotonic() + delayMs;
    },
    pass(retry) {
      const now = clock.monotonic();
      const isDue = now >= (endsAt ?? now);
      if (waiting !== undefined) {
        if (isDue) retry();
        return;
      }
      const { after, waitMs } = takeRetry(retries, now, backOffPeriodMs);
      retries = after;
      if (isDue || waitMs === 0) retry();
      else waiting = clock.setTimeout(retry, waitMs);
    },
    cancel() {
      waiting?.cancel();
      waiting = undefined;
    },
  };
}
