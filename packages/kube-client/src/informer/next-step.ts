import { apiStatusOf, errorCode } from '@nodeagent/api';
import { kubeClientErrorCodes } from '../errors.js';

/** What an informer does next. */
export interface ReflectorStep {
  do: 'list' | 'watch';
  /** To watch from; of a list: not older than this, `'0'` for whatever the server's cache has, `''` for the newest. */
  version: string;
  /** What comes before: nothing, a part of a second by chance (so that not all come back at once), or the next delay of the back-off. */
  wait: 'nothing' | 'moment' | 'backoff';
  /** The server asked for so long a pause. */
  atLeastMs?: number;
}

/** How a step ended. `version` is that of the last object or bookmark that was seen. */
export type ReflectorEnd =
  | { type: 'listed'; version: string }
  | { type: 'listFailed'; error: unknown }
  /** The stream is over: at the time that was asked for, or earlier. */
  | { type: 'watchEnded'; version: string; early: boolean }
  /** There was no stream, or it ended in an error of the server's. */
  | { type: 'watchFailed'; version: string; error: unknown }
  /** The stream had what is no event; watching on would give it again. */
  | { type: 'watchUnreadable'; version: string };

export const firstStep: ReflectorStep = { do: 'list', version: '0', wait: 'nothing' };

/**
 * The next step of list and watch (Kubernetes docs, "Efficient detection of changes"). A version that the server has forgotten, or does
 * not know yet, leads to a list; a server that is away or busy does not, for the watch can go on where it was.
 */
export function nextStep(step: ReflectorStep, end: ReflectorEnd): ReflectorStep {
  switch (end.type) {
    case 'listed':
      return { do: 'watch', version: end.version, wait: 'nothing' };
    case 'listFailed':
      if (isUnknownVersion(end.error)) return { do: 'list', version: '', wait: step.version === '' ? 'backoff' : 'nothing' };
      return { do: 'list', version: step.version, wait: 'backoff', ...pauseOf(end.error) };
    case 'watchEnded':
      return { do: 'watch', version: end.version, wait: end.early ? 'moment' : 'nothing' };
    case 'watchUnreadable':
      return { do: 'list', version: end.version, wait: 'backoff' };
    case 'watchFailed':
      if (isTooNew(end.error)) return { do: 'list', version: '', wait: 'backoff' };
      return { do: isPassing(end.error) ? 'watch' : 'list', version: end.version, wait: 'backoff', ...pauseOf(end.error) };
  }
}

/** The version is too old (410), or newer than all that the server knows, as after a restored backup. */
function isUnknownVersion(error: unknown): boolean {
  const status = apiStatusOf(error);
  return status !== undefined && (status.code === 410 || status.reason === 'Expired' || status.reason === 'Gone' || isTooNew(error));
}

function isTooNew(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status === undefined) return false;
  return status.causes?.some(({ reason }) => reason === 'ResourceVersionTooLarge') || /too large resource version/i.test(status.message);
}

/** Whether it is about the server or the caller's rights, not about the version. */
function isPassing(error: unknown): boolean {
  const status = apiStatusOf(error);
  if (status === undefined) return errorCode(error) !== kubeClientErrorCodes.invalidApiAnswer;
  return !isUnknownVersion(error) && ([401, 403, 429].includes(status.code) || status.code >= 500);
}

function pauseOf(error: unknown): { atLeastMs?: number } {
  const after = apiStatusOf(error)?.retryAfterMs;
  return after === undefined ? {} : { atLeastMs: after };
}
