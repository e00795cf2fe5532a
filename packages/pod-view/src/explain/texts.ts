import { formatTime } from '@nodeagent/api/helpers';
import { formatAge } from '../format-age.js';

/** The message of a status or event as the end of a sentence, without its period. Empty if there is none. */
export const cause = (message: string | undefined): string => {
  const text = (message ?? '').replace(/[\s.]+$/, '');
  return text && `: ${text}`;
};

/** ` (OOMKilled)`; empty without a reason. */
export const inParentheses = (reason: string | undefined): string => (reason ? ` (${reason})` : '');

/** `5m`: the time since then. */
export const age = (at: number, now: number): string => formatAge(Math.max(0, now - at));

/** `1 restart`, `3 restarts`. */
export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** ` 5m ago`; empty if the time is unknown. */
export const ago = (at: number | undefined, now: number): string => (at ? ` ${age(at, now)} ago` : '');

/** `in 12s, at 2026-01-01T00:00:12Z`. */
export const within = (at: number, now: number): string =>
  `in ${formatAge(Math.ceil((at - now) / 1000) * 1000)}, at ${formatTime(Math.min(at, 8.64e15))}`;

/** `container web`, `containers web and log`. */
export const named = (what: string, names: readonly string[]): string => `${what}${names.length === 1 ? '' : 's'} ${listed(names)}`;

/** `a`, `a and b`, `a, b and c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
