import { formatDuration } from '@nodeagent/api/helpers';

/** Inputs of the generator's health check. Times are monotonic milliseconds. */
export interface RelistHealth {
  /** Start of the last relist whose listing succeeded; undefined before the first. */
  lastRelist: number | undefined;
  /** Maximum age of that relist. */
  thresholdMs: number;
  /** The longest running runtime call, if one runs. */
  waitingCall?: { name: string; since: number };
  /** Error message of the last listing, if it failed. */
  lastError?: string | undefined;
}

/** Why the generator is unhealthy, in the kubelet's words, followed by a hanging call or the last error. Undefined while it is healthy. */
export function relistUnhealthyReason({ lastRelist, thresholdMs, waitingCall, lastError }: RelistHealth, now: number): string | undefined {
  if (lastRelist !== undefined && now - lastRelist <= thresholdMs) return undefined;
  const reason =
    lastRelist === undefined
      ? 'pleg has yet to be successful'
      : `pleg was last seen active ${formatDuration(now - lastRelist)} ago; threshold is ${formatDuration(thresholdMs)}`;
  if (waitingCall) return `${reason}; ${waitingCall.name} has not answered for ${formatDuration(now - waitingCall.since)}`;
  return lastError ? `${reason}; last error: ${lastError}` : reason;
}
