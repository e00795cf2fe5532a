import type { Time } from '../objects/meta.js';
import { invalidArgument } from './arguments.js';

/** The largest distance from 1970 that a date can have, in milliseconds. */
const maxTime = 8.64e15;

/** Milliseconds as a Kubernetes time: RFC 3339 in UTC, cut to whole seconds. Throws `InvalidArgument` for what is no time. */
export function formatTime(ms: number): Time {
  if (!(Math.abs(ms) <= maxTime)) throw invalidArgument('ms', 'a time in milliseconds', ms);
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Nanoseconds, as CRI counts them, as a Kubernetes time. */
export function formatNanos(ns: bigint): Time {
  return formatTime(Number(ns / 1_000_000n));
}

/** Milliseconds of a Kubernetes time; undefined for an absent or unreadable one. */
export function parseTime(time: Time | null | undefined): number | undefined {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
