/** A duration cut to whole milliseconds, as the kubelet writes it: `850ms`, `1.5s`, `2m3.25s`, `1h0m0s`. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.trunc(ms));
  if (whole === 0) return '0s';
  if (whole < 1000) return `${whole}ms`;
  const seconds = Math.trunc(whole / 1000);
  const fraction = String(whole % 1000)
    .padStart(3, '0')
    .replace(/0+$/, '');
  const last = `${seconds % 60}${fraction === '' ? '' : `.${fraction}`}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes === 0) return last;
  const hours = Math.trunc(minutes / 60);
  return hours === 0 ? `${minutes}m${last}` : `${hours}h${minutes % 60}m${last}`;
}

const mega = 1024 * 1024;
const giga = 1024 * mega;
const buckets: readonly [upTo: number, label: string][] = [
  [10 * mega, '0-10MB'],
  [100 * mega, '10MB-100MB'],
  [500 * mega, '100MB-500MB'],
  [giga, '500MB-1GB'],
  [5 * giga, '1GB-5GB'],
  [10 * giga, '5GB-10GB'],
  [20 * giga, '10GB-20GB'],
  [30 * giga, '20GB-30GB'],
  [40 * giga, '30GB-40GB'],
  [60 * giga, '40GB-60GB'],
  [100 * giga, '60GB-100GB'],
];

/** The metric label for an image's size in bytes; 0 means unknown. */
export function imageSizeBucket(bytes: number): string {
  if (bytes === 0) return 'N/A';
  return buckets.find(([upTo]) => bytes < upTo)?.[1] ?? 'GT100GB';
}
