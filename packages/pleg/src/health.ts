import { formatDuration } from '@nodeagent/api';

/** What the generator's health is judged by; times are milliseconds of one monotonic clock. */
export interface RelistHealth {
  /** Start of the last relist whose listing succeeded; undefined before the first. */
  lastRelist: number | undefined;
  /** How long ago that may be. */
  thresholdMs: number;
  /** The runtime call that has been waiting longest, if one is waiting. */
  waitingCall?: { name: string; since: number };
}

/** Undefined while healthy, else why not, in the kubelet's words; a call that hangs is named behind them. */
export function relistUnhealthyReason({ lastRelist, thresholdMs, waitingCall }: RelistHealth, now: number): string | undefined {
  if (lastRelist !== undefined && now - lastRelist <= thresholdMs) return undefined;
  const reason =
    lastRelist === undefined
      ? 'pleg has yet to be successful'
      : `pleg was last seen active ${formatDuration(now - lastRelist)} ago; threshold is ${formatDuration(thresholdMs)}`;
  return waitingCall === undefined
    ? reason
    : `${reason}; ${waitingCall.name} has not answered for ${formatDuration(now - waitingCall.since)}`;
}
