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
