const initialMs = 500;
const maxMs = 122_000;

/** How often an operation failed lately, as the wait before the next try. Immutable. */
export interface ExponentialBackoff {
  readonly durationMs: number;
  /** Of the last failure, in milliseconds of the clock that the caller uses. */
  readonly lastErrorAt: number;
  readonly lastError: unknown;
}

/** After one more failure: half a second at first, then twice as long each time, 2m2s at most. Time alone never shortens it. */
export function afterFailure(backoff: ExponentialBackoff | undefined, error: unknown, now: number): ExponentialBackoff {
  const durationMs = backoff === undefined ? initialMs : Math.min(2 * backoff.durationMs, maxMs);
  return { durationMs, lastErrorAt: now, lastError: error };
}

/** Whether the wait is over; at its very end it is not. */
export function isSafeToRetry(backoff: ExponentialBackoff | undefined, now: number): boolean {
  return backoff === undefined || now - backoff.lastErrorAt > backoff.durationMs;
}

/** The first millisecond at which {@link isSafeToRetry} holds. */
export function safeToRetryAt({ lastErrorAt, durationMs }: ExponentialBackoff): number {
  return lastErrorAt + durationMs + 1;
}
