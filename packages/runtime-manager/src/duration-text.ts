/** A duration as Go prints it, which is how the kubelet's messages have it: `10s`, `1m20s`, `5m0s`, `1h0m0s`. Whole seconds. */
export function durationText(ms: number): string {
  const total = Math.trunc(ms / 1000);
  const [hours, minutes, seconds] = [Math.trunc(total / 3600), Math.trunc(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
