import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { type ExponentialBackoff, formatDuration, formatTime } from '@nodeagent/api/helpers';
import { volumeManagerErrorCodes } from '../errors.js';
import { safeToRetryAt } from './retry-time.js';

/** An operation with that name is in progress. The message prints `name` unquoted. */
export function operationExists(name: string): NodeAgentError {
  return new NodeAgentError(
    volumeManagerErrorCodes.operationExists,
    `Failed to create operation with name ${name}. An operation with that name is already executing.`,
    { retryable: true },
  );
}

/**
 * The operation failed and its back-off has not ended. `details.durationMs` and `details.retryAt` (on the clock of `now`) give its length
 * and end. `wallNow` is the wall-clock time.
 */
export function operationBackOff(name: string, backoff: ExponentialBackoff, now: number, wallNow: number): NodeAgentError {
  const { durationMs, lastErrorAt, lastError } = backoff;
  const failedAt = wallNow - (now - lastErrorAt);
  return new NodeAgentError(
    volumeManagerErrorCodes.operationBackOff,
    `Failed to create operation with name "${name}". An operation with that name failed at ${formatTime(failedAt)}. ` +
      `No retries permitted until ${formatTime(failedAt + durationMs)} (${formatDuration(durationMs)}). Last error: "${errorMessage(lastError)}".`,
    { retryable: true, cause: lastError, details: { durationMs, retryAt: safeToRetryAt(backoff) } },
  );
}

/** The log text of a failed operation. */
export function failedOperationText(name: string, { durationMs, lastError }: ExponentialBackoff, wallNow: number): string {
  return (
    `Operation for "${name}" failed. No retries permitted until ${formatTime(wallNow + durationMs)} ` +
    `(durationBeforeRetry ${formatDuration(durationMs)}). Error: ${errorMessage(lastError)}`
  );
}
