import type { ExponentialBackoff } from '@nodeagent/api/helpers';

/** Whether the back-off has ended; false exactly at its end. */
export function isSafeToRetry(backoff: ExponentialBackoff | undefined, now: number): boolean {
  return backoff === undefined || now - backoff.lastErrorAt > backoff.durationMs;
}

/** The first millisecond at which {@link isSafeToRetry} is true. */
export function safeToRetryAt({ lastErrorAt, durationMs }: ExponentialBackoff): number {
  return lastErrorAt + durationMs + 1;
}
