/**
 * Formats milliseconds as Go and the kubelet's messages print a duration: `0s`, `850ms`, `1.5s`, `3m20s`, `1h0m5.25s`. Truncates to whole
 * milliseconds; a negative duration counts as 0.
 */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.trunc(ms));
  if (whole > 0 && whole < 1000) return `${whole}ms`;
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor(whole / 60_000) % 60;
  const seconds = `${(whole % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

const unitMs: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses a duration of the Kubernetes configuration, such as `0s`, `1.5h`, `-1h30m` or `300ms`, to milliseconds. Undefined if the text is
 * not a duration.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  const [, sign, parts] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let ms = 0;
  for (const [, amount, unit] of parts.matchAll(/([\d.]+)([^\d.]+)/g)) ms += Number(amount) * (unitMs[unit ?? ''] ?? Number.NaN);
  return sign === '-' ? -ms : ms;
}
