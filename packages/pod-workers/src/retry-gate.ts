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
export class RetryGate {
  readonly #clock: Pick<Clock, 'monotonic' | 'setTimeout'>;
  readonly #backOffPeriodMs: number;
  #retries: Retries | undefined;
  /** When the back-off of the last sync ends, in monotonic milliseconds; undefined after a successful one. */
  #endsAt: number | undefined;
  #waiting: Timer | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'setTimeout'>, backOffPeriodMs: number) {
    this.#clock = clock;
    this.#backOffPeriodMs = backOffPeriodMs;
  }

  /** Whether the last sync succeeded, so that the next one is no retry. */
  get isOpen(): boolean {
    return this.#endsAt === undefined;
  }

  /** A sync has ended: it is repeated after `delayMs` at the latest, or succeeded. */
  settle(delayMs: number | undefined): void {
    this.#endsAt = delayMs === undefined ? undefined : this.#clock.monotonic() + delayMs;
  }

  /** Calls `retry`, now or once there is a retry left. It does not wait beyond the back-off, and only one waits at a time. */
  pass(retry: () => void): void {
    const now = this.#clock.monotonic();
    const isDue = now >= (this.#endsAt ?? now);
    if (this.#waiting !== undefined) {
      if (isDue) retry();
      return;
    }
    const { after, waitMs } = takeRetry(this.#retries, now, this.#backOffPeriodMs);
    this.#retries = after;
    if (isDue || waitMs === 0) retry();
    else this.#waiting = this.#clock.setTimeout(retry, waitMs);
  }

  /** Forgets the retry that waits; `retry` must call it. Idempotent. */
  cancel(): void {
    this.#waiting?.cancel();
    this.#waiting = undefined;
  }
}
