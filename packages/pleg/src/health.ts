import { formatDuration } from '@nodeagent/api';

/** What the generator's health is judged by; times are milliseconds of one monotonic clock. */
export interface RelistHealth {
  /** Start of the last relist whose listing succeeded; undefined before the first. */
  lastRelist: number | undefined;
  /** How long ago that may be. */
  thresholdMs: number;
  /** The runtime call that has been waiting longest, if one is waiting. */
  waitingCall?: { name: string; since: number };
  /** Why the last listing failed, if it did. */
  lastError?: string | undefined;
}

/** Undefined while healthy, else why not, in the kubelet's words; behind them a call that hangs, or the last error. */
export function relistUnhealthyReason({ lastRelist, thresholdMs, waitingCall, lastError }: RelistHealth, now: number): string | undefined {
  if (lastRelist !== undefined && now - lastRelist <= thresholdMs) return undefined;
  const reason =
    lastRelist === undefined
      ? 'pleg has yet to be successful'
      : `pleg was last seen active ${formatDuration(now - lastRelist)} ago; threshold is ${formatDuration(thresholdMs)}`;
  if (waitingCall) return `${reason}; ${waitingCall.name} has not answered for ${formatDuration(now - waitingCall.since)}`;
  return lastError ? `${reason}; last error: ${lastError}` : reason;
}
