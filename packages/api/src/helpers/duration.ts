/**
 * Milliseconds as the kubelet's messages print a duration, which is how Go does: `0s`, `850ms`, `1.5s`, `3m20s`, `1h0m5.25s`. Cut to whole
 * milliseconds; a negative duration is none.
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
