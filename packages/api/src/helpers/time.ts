import { invalidArgument } from '../contracts/arguments.js';
import type { Time } from '../objects/meta.js';

/** The largest distance from 1970 that a date can have, in milliseconds. */
const maxTime = 8.64e15;

/**
 * Formats milliseconds since 1970 as a Kubernetes time: RFC 3339 in UTC, truncated to seconds. Throws `InvalidArgument` if out of range.
 */
export function formatTime(ms: number): Time {
  if (!(Math.abs(ms) <= maxTime)) throw invalidArgument('ms', 'a time in milliseconds', ms);
  const second = Math.floor(ms / 1000);
  if (second !== formatted.second) formatted = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return formatted.text;
}

/** Caches the last result, because the same second is formatted many times. */
let formatted: { second: number; text: Time } = { second: Number.NaN, text: '' };

/** Formats nanoseconds since 1970, as in CRI, as a Kubernetes time. */
export function formatNanos(ns: bigint): Time {
  return formatTime(Number(ns / 1_000_000n));
}

/** Parses a Kubernetes time to milliseconds since 1970; undefined if it is absent or invalid. */
export function parseTime(time: Time | null | undefined): number | undefined {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
