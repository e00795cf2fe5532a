const initialMs = 500;
const maxMs = 122_000;

/** The back-off of a failed operation. Immutable. */
export interface ExponentialBackoff {
  readonly durationMs: number;
  /** Time of the last failure, in milliseconds of the caller's clock. */
  readonly lastErrorAt: number;
  readonly lastError: unknown;
}

/** The back-off after one more failure: 500 ms at first, doubled with each failure, at most 2m2s. It does not decrease over time. */
export function afterFailure(backoff: ExponentialBackoff | undefined, error: unknown, now: number): ExponentialBackoff {
  const durationMs = backoff === undefined ? initialMs : Math.min(2 * backoff.durationMs, maxMs);
  return { durationMs, lastErrorAt: now, lastError: error };
}
