import { errorMessage, NodeAgentError } from '../contracts/errors.js';
import { apiErrorCodes } from '../errors.js';
import { formatDuration } from './duration.js';
import { type ExponentialBackoff, safeToRetryAt } from './exponential-backoff.js';
import { formatTime } from './time.js';

/** The operation, or one of its name, is being executed. `name` is printed as it is. */
export function operationExists(name: string): NodeAgentError {
  return new NodeAgentError(
    apiErrorCodes.operationExists,
    `Failed to create operation with name ${name}. An operation with that name is already executing.`,
    { retryable: true },
  );
}

/**
 * The operation failed and waits; `details.durationMs` and `details.retryAt` (of the clock that `now` is of) say how long. `wallNow` is the
 * time of day.
 */
export function operationBackOff(name: string, backoff: ExponentialBackoff, now: number, wallNow: number): NodeAgentError {
  const { durationMs, lastErrorAt, lastError } = backoff;
  const failedAt = wallNow - (now - lastErrorAt);
  return new NodeAgentError(
    apiErrorCodes.operationBackOff,
    `Failed to create operation with name "${name}". An operation with that name failed at ${formatTime(failedAt)}. ` +
      `No retries permitted until ${formatTime(failedAt + durationMs)} (${formatDuration(durationMs)}). Last error: "${errorMessage(lastError)}".`,
    { retryable: true, cause: lastError, details: { durationMs, retryAt: safeToRetryAt(backoff) } },
  );
}

/** What is logged when an operation failed. */
export function failedOperationText(name: string, { durationMs, lastError }: ExponentialBackoff, wallNow: number): string {
  return (
    `Operation for "${name}" failed. No retries permitted until ${formatTime(wallNow + durationMs)} ` +
    `(durationBeforeRetry ${formatDuration(durationMs)}). Error: ${errorMessage(lastError)}`
  );
}
