import { formatTime, parseTime, type Time } from '@nodeagent/api';
import { formatAge } from './age.js';

/** A time as people want it, absolute and relative: `2026-01-01T00:00:10Z (10s ago)`, `... (in 5s)`. */
export function moment(at: number, now: number): string {
  return `${formatTime(at)} (${at > now ? `in ${formatAge(Math.ceil((at - now) / 1000) * 1000)}` : `${formatAge(now - at)} ago`})`;
}

/** The same of something to come: what should have happened is due. */
export function momentToCome(at: number, now: number): string {
  return at > now ? moment(at, now) : `${formatTime(at)} (due)`;
}

/** The same of a Kubernetes time; undefined for an absent or unreadable one. */
export function momentOf(time: Time | null | undefined, now: number): string | undefined {
  const at = parseTime(time);
  return at === undefined ? undefined : moment(at, now);
}
