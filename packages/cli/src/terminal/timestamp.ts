import type { Time } from '@nodeagent/api';
import { formatTime, parseTime } from '@nodeagent/api/helpers';
import { formatAge } from '@nodeagent/pod-view';

/** A time in absolute and relative form: `2026-01-01T00:00:10Z (10s ago)`, `... (in 5s)`. */
export function formatTimestamp(at: number, now: number): string {
  return `${formatTime(at)} (${at > now ? `in ${formatAge(Math.ceil((at - now) / 1000) * 1000)}` : `${formatAge(now - at)} ago`})`;
}

/** The same for a scheduled time; a time in the past is due now. */
export function formatScheduledTime(at: number, now: number): string {
  return at > now ? formatTimestamp(at, now) : `${formatTime(at)} (due)`;
}

/** The same for a Kubernetes time; undefined if it is absent or invalid. */
export function formatKubernetesTime(time: Time | null | undefined, now: number): string | undefined {
  const at = parseTime(time);
  return at === undefined ? undefined : formatTimestamp(at, now);
}
