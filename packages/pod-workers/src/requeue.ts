import { errorCode, errorMessage, type Random } from '@nodeagent/api';
import type { SyncOutcome } from './complete-sync.js';

/** Milliseconds. */
export interface RequeueSettings {
  /** Interval of the periodic resync. */
  syncFrequencyMs: number;
  /** Delay after a failed sync. */
  backOffPeriodMs: number;
}

/** Delay after a failure that should be short: the network is not ready yet. */
export const transientErrorPeriodMs = 1000;

/**
 * Milliseconds until the next sync without another trigger, before jitter: 0 after a phase transition; the resync interval after success; 1
 * s while the network is not ready; the time until the first back-off of containers or images expires, at most the resync interval; the
 * back-off period after any other error.
 */
export function requeueDelay(
  { error, phaseTransition }: Pick<SyncOutcome, 'error'> & { phaseTransition: boolean },
  { syncFrequencyMs, backOffPeriodMs }: RequeueSettings,
  now: number,
): number {
  if (phaseTransition) return 0;
  if (error === undefined) return syncFrequencyMs;
  if (isNetworkNotReady(error)) return transientErrorPeriodMs;
  const expiry = earliestBackOffExpiry(error);
  const delay = expiry === undefined ? backOffPeriodMs : expiry - now;
  return Math.min(Math.max(delay, 0), syncFrequencyMs);
}

/** Adds up to 50 % to the delay, so that pods that failed together are not retried together. */
export function jitter(delayMs: number, random: Random): number {
  return delayMs + random() * 0.5 * delayMs;
}

/** When the first back-off in the error expires: wall-clock milliseconds, undefined if there is none. */
export function earliestBackOffExpiry(error: unknown): number | undefined {
  let earliest: number | undefined;
  for (const part of errorParts(error)) {
    const code = errorCode(part);
    if (code !== 'CrashLoopBackOff' && code !== 'ImagePullBackOff') continue;
    const expiry = (part as { details?: { expiry?: unknown } }).details?.expiry;
    if (typeof expiry === 'number' && (earliest === undefined || expiry < earliest)) earliest = expiry;
  }
  return earliest;
}

/** Whether the error, or one of its parts, means that the pod network is not ready. */
export function isNetworkNotReady(error: unknown): boolean {
  for (const part of errorParts(error)) {
    if (errorCode(part) === 'NetworkNotReady' || errorMessage(part).includes('network is not ready')) return true;
  }
  return false;
}

/** The error, its aggregated errors and its causes, each once. */
function errorParts(error: unknown): Set<unknown> {
  const parts = new Set<unknown>([error]);
  for (const part of parts) {
    if (typeof part !== 'object' || part === null) continue;
    if ('errors' in part && Array.isArray(part.errors)) for (const inner of part.errors) parts.add(inner);
    if ('cause' in part && part.cause !== undefined) parts.add(part.cause);
  }
  return parts;
}
