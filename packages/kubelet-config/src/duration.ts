const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const longest = 2n ** 63n - 1n;

/** Parses a duration such as `1h30m`, `-1s` or `1.5ms` to nanoseconds; undefined if it is invalid. */
export function parseNanos(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  const [, sign, parts] = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/.exec(text) ?? [];
  if (parts === undefined) return undefined;
  let nanos = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of parts.matchAll(/(\d*)\.?(\d*)([^\d.]+)/g)) {
    const scale = unitNanos[unit] ?? 0n;
    nanos += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  if (nanos > longest) return undefined;
  return sign === '-' ? -nanos : nanos;
}

/** Formats nanoseconds as the API does: `1m30s`, `100ms`, `999µs`, `-1s`, `0s`. */
export function formatNanos(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  if (nanos < 0n) return `-${formatNanos(-nanos)}`;
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  if (nanos < 1_000_000_000n) return `${decimal(nanos, 6)}ms`;
  const minute = 60_000_000_000n;
  const seconds = `${decimal(nanos % minute, 9)}s`;
  const minutes = nanos / minute;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Formats a fixed-point number, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places);
  const fraction = String(value % scale)
    .padStart(places, '0')
    .replace(/0+$/, '');
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`;
}
