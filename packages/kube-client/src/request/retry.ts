import { apiStatusOf, errorCode, type Random } from '@nodeagent/api';
import { kubeClientErrorCodes, type UnreachableStage } from '../errors.js';

/** A failed request. */
export interface FailedAttempt {
  method: string;
  error: unknown;
  /** Number of previous retries; 0 for the first attempt. */
  retries: number;
}

/** As in client-go. */
const maxRetries = 10;
const maxRetriesAfterConnectionLoss = 3;
/** A longer Retry-After is returned to the caller as an error. */
const maxRetryAfterMs = 60_000;
/** Also after a Retry-After of 0. */
const minDelayMs = 100;
const nothingWasDone = new Set([429, 503]);

/**
 * Delay in milliseconds before the request is retried; undefined for no retry. A response with Retry-After is retried: for a read
 * with any status (429 or 5xx), for a write only if the server has not processed it (429, 503). A lost
 * connection is retried for reads only, because the server may have processed the request.
 */
export function retryDelay({ method, error, retries }: FailedAttempt, random: Random): number | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const status = apiStatusOf(error);
  if (status !== undefined) {
    const isTemporary = nothingWasDone.has(status.code) || (isRead && status.code >= 500);
    const after = status.retryAfterMs;
    if (!isTemporary || after === undefined || after > maxRetryAfterMs || retries >= maxRetries) return undefined;
    return Math.round(Math.max(after, minDelayMs) * (1 + random() * 0.25));
  }
  if (errorCode(error) !== kubeClientErrorCodes.apiUnreachable || !isRead || retries >= maxRetriesAfterConnectionLoss) return undefined;
  const { stage } = (error as { details: { stage: UnreachableStage } }).details;
  return stage === 'response' ? Math.round(minDelayMs * 2 ** retries * (0.5 + random())) : undefined;
}
