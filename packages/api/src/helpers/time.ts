import type { Time } from '../objects/meta.js';
import { invalidArgument } from './arguments.js';

/** The largest distance from 1970 that a date can have, in milliseconds. */
const maxTime = 8.64e15;

/** Milliseconds as a Kubernetes time: RFC 3339 in UTC, cut to whole seconds. Throws `InvalidArgument` for what is no time. */
export function formatTime(ms: number): Time {
  if (!(Math.abs(ms) <= maxTime)) throw invalidArgument('ms', 'a time in milliseconds', ms);
  const second = Math.floor(ms / 1000);
  if (second !== formatted.second) formatted = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return formatted.text;
}

/** What was written last: what happens to a pod in one second is written a dozen times. */
let formatted: { second: number; text: Time } = { second: Number.NaN, text: '' };

/** Nanoseconds, as CRI counts them, as a Kubernetes time. */
export function formatNanos(ns: bigint): Time {
  return formatTime(Number(ns / 1_000_000n));
}

/** Milliseconds of a Kubernetes time; undefined for an absent or unreadable one. */
export function parseTime(time: Time | null | undefined): number | undefined {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
