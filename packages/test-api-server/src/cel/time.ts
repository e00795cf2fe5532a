import { CelEvalError } from './cel-error.js';

const nsPerMs = 1_000_000n;
const nsPerSecond = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and the end of the year 9999. */
const minTimestamp = -62135596800n * nsPerSecond;
const maxTimestamp = 253402300799n * nsPerSecond + 999_999_999n;
const maxDuration = 1n << 63n;

/** Throws if a timestamp is out of range. */
export function checkedTimestamp(ns: bigint): bigint {
  if (ns < minTimestamp || ns > maxTimestamp) throw new CelEvalError('timestamp overflow');
  return ns;
}

/** Throws if a duration is out of range. */
export function checkedDuration(ns: bigint): bigint {
  if (ns < -maxDuration || ns >= maxDuration) throw new CelEvalError('duration overflow');
  return ns;
}

const rfc3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?\d*([Zz]|[+-]\d\d:\d\d)$/;

/** Nanoseconds since 1970 of a time in RFC 3339. */
export function parseTimestamp(text: string): bigint {
  const found = rfc3339.exec(text);
  const ms = found ? Date.parse(`${found[1]}T${found[2]}${(found[4] as string).toUpperCase()}`) : Number.NaN;
  if (!found || Number.isNaN(ms)) throw new CelEvalError("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  return checkedTimestamp(BigInt(ms) * nsPerMs + BigInt((found[3] ?? '').padEnd(9, '0')));
}

/** A timestamp in RFC 3339. */
export function timestampText(ns: bigint): string {
  const fraction = ((ns % nsPerSecond) + nsPerSecond) % nsPerSecond;
  const seconds = new Date(Number((ns - fraction) / nsPerMs)).toISOString().slice(0, 19);
  return `${seconds}${fraction === 0n ? '' : `.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}`}Z`;
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: nsPerMs,
  s: nsPerSecond,
  m: 60n * nsPerSecond,
  h: 3600n * nsPerSecond,
};

/** Nanoseconds of a duration such as `1h30m` or `1.5s`. */
export function parseDuration(text: string): bigint {
  const [, sign, body = ''] = /^([+-]?)(.*)$/.exec(text) ?? [];
  const invalid = () => new CelEvalError("type conversion error from 'string' to 'google.protobuf.Duration'");
  if (body === '0') return 0n;
  if (!/^(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(body)) throw invalid();
  let ns = 0n;
  for (const [, whole = '', fraction = '', unit = ''] of body.matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = units[unit] ?? 0n;
    ns += BigInt(whole || '0') * scale + (BigInt(fraction || '0') * scale) / 10n ** BigInt(fraction.length);
  }
  return checkedDuration(sign === '-' ? -ns : ns);
}

/** A duration in seconds: `90s`, `1.5s`. */
export function durationText(ns: bigint): string {
  const [sign, size] = ns < 0n ? ['-', -ns] : ['', ns];
  const fraction = size % nsPerSecond;
  return `${sign}${size / nsPerSecond}${fraction === 0n ? '' : `.${fraction.toString().padStart(9, '0').replace(/0+$/, '')}`}s`;
}

/** The fields of a timestamp in a time zone: an IANA name or an offset such as `+02:00`. Default UTC. */
export function zonedDate(ns: bigint, zone: string | undefined): Date {
  const ms = Number(ns / nsPerMs - (ns % nsPerMs < 0n ? 1n : 0n));
  if (zone === undefined || zone === '' || zone === 'UTC') return new Date(ms);
  const offset = /^([+-]?)(\d\d?):(\d\d)$/.exec(zone);
  if (offset) return new Date(ms + (offset[1] === '-' ? -1 : 1) * (Number(offset[2]) * 60 + Number(offset[3])) * 60_000);
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    return new Date(Date.UTC(year, month - 1, day, hour, minute, second, ((ms % 1000) + 1000) % 1000));
  } catch {
    throw new CelEvalError(`unknown time zone ${zone}`);
  }
}
