/** `<n><unit>` and, unless it is zero, the rest in the next smaller unit. */
const withRest = (whole: number, unit: string, rest: number, restUnit: string): string =>
  rest === 0 ? `${whole}${unit}` : `${whole}${unit}${rest}${restUnit}`;

/** A duration in milliseconds as kubectl prints ages: `119s`, `5m3s`, `47h`, `3d4h`, `2y17d`. */
export function formatAge(ms: number): string {
  const seconds = Math.trunc(ms / 1_000);
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
