import type { Time } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';

/** The time that Kubernetes treats as absent: the start of the year 1, in milliseconds since 1970. */
export const zeroTime = -62_135_596_800_000;

/** The longest duration that Kubernetes can hold: 292 years. */
const maxMs = 2 ** 63 / 1e6;

/** `<n><unit>` and, unless it is zero, the rest in the next smaller unit. */
const withRest = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;

/** A duration in milliseconds as kubectl prints ages: `119s`, `5m3s`, `47h`, `3d4h`, `2y17d`. */
export function formatAge(ms: number): string {
  const seconds = Math.trunc(Math.min(ms, maxMs) / 1_000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return withRest(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return withRest(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return withRest(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.trunc(days / 365);
  return years < 8 ? withRest(years, 'y', days % 365, 'd') : `${years}y`;
}

/** The age of a Kubernetes time; undefined if it is absent or invalid. */
export function ageOf(time: Time | null | undefined, now: number): string | undefined {
  const at = parseTime(time);
  return at === undefined || at === zeroTime ? undefined : formatAge(now - at);
}
