import { apiStatusOf, errorCode } from '@nodeagent/api';
import { kubeClientErrorCodes } from '../errors.js';

/** What an informer does next. */
export interface ReflectorStep {
  do: 'list' | 'watch';
  /** The version to watch from. For a list: the minimum version, `'0'` for any version in the server's cache, `''` for the newest. */
  version: string;
  /** The wait before the step: none, up to a second of jitter (so that not all informers reconnect at once), or the next back-off delay. */
  wait: 'none' | 'jitter' | 'backoff';
  /** Minimum wait, from the server's Retry-After. */
  minWaitMs?: number;
}

/** Result of a step. `version` is that of the last object or bookmark received. */
export type ReflectorEnd =
  | { type: 'listed'; version: string }
  | { type: 'listFailed'; error: unknown }
  /** The watch ended: at the requested time, or earlier. */
  | { type: 'watchEnded'; version: string; early: boolean }
  /** The watch did not start, or ended with an error of the server. */
  | { type: 'watchFailed'; version: string; error: unknown }
  /** The watch had an unreadable event; resuming the watch would repeat it. */
  | { type: 'watchUnreadable'; version: string };

export const firstStep: ReflectorStep = { do: 'list', version: '0', wait: 'none' };

/**
 * The next step of list and watch (Kubernetes docs, "Efficient detection of changes"). A version that has expired, or that the server does
 * not know yet, leads to a list; an unreachable or busy server does not, because the watch can resume.
 */
export function nextStep(step: ReflectorStep, end: ReflectorEnd): ReflectorStep {
  switch (end.type) {
    case 'listed':
      return { do: 'watch', version: end.version, wait: 'none' };
    case 'listFailed':
      if (isUnknownVersion(end.error)) return { do: 'list', version: '', wait: step.version === '' ? 'backoff' : 'none' };
      return { do: 'list', version: step.version, wait: 'backoff', ...waitOf(end.error) };
    case 'watchEnded':
      return { do: 'watch', version: end.version, wait: end.early ? 'jitter' : 'none' };
    case 'watchUnreadable':
      return { do: 'list', version: end.version, wait: 'backoff' };
    case 'watchFailed':
      if (isTooNew(end.error)) return { do: 'list', version: '', wait: 'backoff' };
      return { do: isTransient(end.error) ? 'watch' : 'list', version: end.version, wait: 'backoff', ...waitOf(end.error) };
  }
}

/** Whether the version is invalid (400), too old (410), or newer than the server's, such as after a restored backup. */
function isUnknownVersion(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status === undefined) return false;
  return [400, 410].includes(status.code) || status.reason === 'Expired' || status.reason === 'Gone' || isTooNew(error);
}

function isTooNew(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status === undefined) return false;
  return status.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') || /too large resource version/i.test(status.message);
}

/** Whether the error concerns the server or the caller's permissions, not the version. */
function isTransient(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status === undefined) return errorCode(error) !== kubeClientErrorCodes.invalidApiResponse;
  return !isUnknownVersion(error) && ([401, 403, 429].includes(status.code) || status.code >= 500);
}

function waitOf(error: unknown): { minWaitMs?: number } {
  const after = apiStatusOf(error)?.retryAfterMs;
  return after === undefined ? {} : { minWaitMs: after };
}
