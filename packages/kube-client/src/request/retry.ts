import { apiStatusOf, errorCode, type Random } from '@nodeagent/api';
import { kubeClientErrorCodes, type UnreachableStage } from '../errors.js';

/** A request that has just failed. */
export interface FailedAttempt {
  method: string;
  error: unknown;
  /** How many retries there were before; the first attempt is 0. */
  retries: number;
}

/** As many as client-go makes. */
const mostRetries = 10;
const mostRetriesAfterCut = 3;
/** Who is told to wait longer is told so at once and decides. */
const longestRetryAfterMs = 60_000;
const cutDelayMs = 100;
const nothingWasDone = new Set([429, 503]);

/**
 * How long to wait before the request is sent once more; undefined if it is not. A refusal with Retry-After is waited for: of a reading
 * request whatever its status (429 or 5xx), of a changing one only where the server says that it has done nothing (429, 503). A cut
 * connection is tried again for reading requests only, for the server may have done what it was asked.
 */
export function retryDelay({ method, error, retries }: FailedAttempt, random: Random): number | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const status = apiStatusOf(error);
  if (status !== undefined) {
    const isTemporary = nothingWasDone.has(status.code) || (isRead && status.code >= 500);
    const after = status.retryAfterMs;
    if (!isTemporary || after === undefined || after > longestRetryAfterMs || retries >= mostRetries) return undefined;
    return Math.round(after * (1 + random() * 0.25));
  }
  if (errorCode(error) !== kubeClientErrorCodes.apiUnreachable || !isRead || retries >= mostRetriesAfterCut) return undefined;
  const { stage } = (error as { details: { stage: UnreachableStage } }).details;
  return stage === 'answer' ? Math.round(cutDelayMs * 2 ** retries * (0.5 + random())) : undefined;
}
