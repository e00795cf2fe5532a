import { linearRegex } from '../../regex/regex.js';
import { CelEvalError } from '../cel-error.js';
import { type CelOverload, overload } from '../functions.js';
import { durationText, parseDuration, parseTimestamp, timestampText, zonedDate } from '../time.js';
import {
  CelDuration,
  CelList,
  type CelMap,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  type CelValue,
  sizeOf,
  typeNameOf,
} from '../values.js';

const notConvertible = (type: string) => new CelEvalError(`type conversion error from 'string' to '${type}'`);

const size = (value: CelValue) => BigInt(sizeOf(value));

function toInt(value: number): bigint {
  if (!Number.isFinite(value) || value <= -(2 ** 63) || value >= 2 ** 63) throw new CelEvalError('integer overflow');
  return BigInt(Math.trunc(value));
}

function parsedInt(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : undefined;
  if (value === undefined) throw notConvertible('int');
  if (value < -(1n << 63n) || value >= 1n << 63n) throw notConvertible('int');
  return value;
}

function unsigned(value: bigint): CelUint {
  if (value < 0n || value >= 1n << 64n) throw new CelEvalError('unsigned integer overflow');
  return new CelUint(value);
}

function parsedDouble(text: string): number {
  const special: Record<string, number> = {
    inf: Infinity,
    '+inf': Infinity,
    infinity: Infinity,
    '-inf': -Infinity,
    '-infinity': -Infinity,
    nan: NaN,
  };
  const value = special[text.toLowerCase()] ?? (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined);
  if (value === undefined) throw notConvertible('double');
  return value;
}

function parsedBool(text: string): boolean {
  if (['true', 'TRUE', 'True', 't', 'T', '1'].includes(text)) return true;
  if (['false', 'FALSE', 'False', 'f', 'F', '0'].includes(text)) return false;
  throw notConvertible('bool');
}

/** A double as Go formats it with the shortest digits. */
export function doubleText(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const size = Math.abs(value);
  if (value === 0 || Number.isNaN(value) || (size >= 1e-4 && size < 1e6)) return Object.is(value, -0) ? '-0' : String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

function utf8Text(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CelEvalError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

/** Whether a text matches. Throws a `CelEvalError` for an invalid expression. */
function matches(text: string, pattern: string): boolean {
  return regexOf(pattern).test(text);
}

/** The compiled expression. Throws a `CelEvalError`. */
export function regexOf(pattern: string) {
  try {
    return linearRegex(pattern);
  } catch (error) {
    throw new CelEvalError((error as Error).message);
  }
}

const conversions: readonly CelOverload[] = [
  overload('int(int) int', (value: bigint) => value),
  overload('int(uint) int', ({ value }: CelUint) => {
    if (value >= 1n << 63n) throw new CelEvalError('integer overflow');
    return value;
  }),
  overload('int(double) int', toInt),
  overload('int(string) int', parsedInt),
  overload(
    'int(timestamp) int',
    ({ ns }: CelTimestamp) => (ns - (((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)) / 1_000_000_000n,
  ),
  overload('int(duration) int', ({ ns }: CelDuration) => ns),
  overload('uint(uint) uint', (value: CelUint) => value),
  overload('uint(int) uint', unsigned),
  overload('uint(double) uint', (value: number) => {
    if (!Number.isFinite(value) || value >= 2 ** 64) throw new CelEvalError('unsigned integer overflow');
    return unsigned(BigInt(Math.trunc(value)));
  }),
  overload('uint(string) uint', (text: string) => {
    if (!/^\d+$/.test(text)) throw notConvertible('uint');
    return unsigned(BigInt(text));
  }),
  overload('double(double) double', (value: number) => value),
  overload('double(int) double', Number),
  overload('double(uint) double', ({ value }: CelUint) => Number(value)),
  overload('double(string) double', parsedDouble),
  overload('string(string) string', (value: string) => value),
  overload('string(bool) string', String),
  overload('string(int) string', String),
  overload('string(uint) string', ({ value }: CelUint) => String(value)),
  overload('string(double) string', doubleText),
  overload('string(bytes) string', utf8Text),
  overload('string(timestamp) string', ({ ns }: CelTimestamp) => timestampText(ns)),
  overload('string(duration) string', ({ ns }: CelDuration) => durationText(ns)),
  overload('bytes(bytes) bytes', (value: Uint8Array) => value),
  overload('bytes(string) bytes', (text: string) => new TextEncoder().encode(text)),
  overload('bool(bool) bool', (value: boolean) => value),
  overload('bool(string) bool', parsedBool),
  overload('timestamp(timestamp) timestamp', (value: CelTimestamp) => value),
  overload('timestamp(string) timestamp', (text: string) => new CelTimestamp(parseTimestamp(text))),
  overload('timestamp(int) timestamp', (seconds: bigint) => new CelTimestamp(parseTimestampSeconds(seconds))),
  overload('duration(duration) duration', (value: CelDuration) => value),
  overload('duration(string) duration', (text: string) => new CelDuration(parseDuration(text))),
  overload('duration(int) duration', (ns: bigint) => new CelDuration(ns)),
  overload('dyn(A) dyn', (value: CelValue) => value),
  overload('type(A) type<A>', (value: CelValue) => new CelTypeValue(typeNameOf(value))),
];

function parseTimestampSeconds(seconds: bigint): bigint {
  if (seconds < -62135596800n || seconds > 253402300799n) throw new CelEvalError('timestamp overflow');
  return seconds * 1_000_000_000n;
}

/** Getters of a timestamp, with and without a time zone. */
const getters: Readonly<Record<string, (date: Date) => number>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDate: (date) => date.getUTCDate(),
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDayOfWeek: (date) => date.getUTCDay(),
  getDayOfYear: (date) => Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

/** Nanoseconds of the units that durations have getters for. */
const durationUnits = { getHours: 3_600_000_000_000n, getMinutes: 60_000_000_000n, getSeconds: 1_000_000_000n };

const times: readonly CelOverload[] = [
  ...Object.entries(getters).flatMap(([name, get]) => [
    overload(`timestamp.${name}() int`, ({ ns }: CelTimestamp) => BigInt(get(zonedDate(ns, undefined)))),
    overload(`timestamp.${name}(string) int`, ({ ns }: CelTimestamp, zone: string) => BigInt(get(zonedDate(ns, zone)))),
  ]),
  ...Object.entries(durationUnits).map(([name, unit]) => overload(`duration.${name}() int`, ({ ns }: CelDuration) => ns / unit)),
  overload('duration.getMilliseconds() int', ({ ns }: CelDuration) => ns / 1_000_000n),
];

const texts: readonly CelOverload[] = [
  ...['string', 'bytes', 'list<A>', 'map<A, B>'].flatMap((type) => [
    overload(`size(${type}) int`, size),
    overload(`${type}.size() int`, size),
  ]),
  overload('string.contains(string) bool', (text: string, part: string) => text.includes(part)),
  overload('string.startsWith(string) bool', (text: string, part: string) => text.startsWith(part)),
  overload('string.endsWith(string) bool', (text: string, part: string) => text.endsWith(part)),
  overload('string.matches(string) bool', matches),
  overload('matches(string, string) bool', matches),
];

const optionals: readonly CelOverload[] = [
  overload('optional.of(A) optional<A>', (value: CelValue) => new CelOptional(value)),
  overload('optional.none() optional<A>', () => new CelOptional(undefined)),
  overload('optional.ofNonZeroValue(A) optional<A>', (value: CelValue) => new CelOptional(isZero(value) ? undefined : value)),
  overload('optional<A>.hasValue() bool', ({ value }: CelOptional) => value !== undefined),
  overload('optional<A>.value() A', ({ value }: CelOptional) => {
    if (value === undefined) throw new CelEvalError('optional.none() dereference');
    return value;
  }),
  overload('optional<A>.or(optional<A>) optional<A>', (a: CelOptional, b: CelOptional) => (a.value === undefined ? b : a)),
  overload('optional<A>.orValue(A) A', ({ value }: CelOptional, other: CelValue) => (value === undefined ? other : value)),
  overload('list<A>.first() optional<A>', ({ items }: CelList) => new CelOptional(items[0])),
  overload('list<A>.last() optional<A>', ({ items }: CelList) => new CelOptional(items.at(-1))),
  overload('optional.unwrap(list<optional<A>>) list<A>', unwrapped),
  overload('list<optional<A>>.unwrapOpt() list<A>', unwrapped),
];

/** The values of those that have one. */
function unwrapped({ items }: CelList): CelList {
  return new CelList(items.flatMap((item) => (item instanceof CelOptional && item.value !== undefined ? [item.value] : [])));
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.ns === 0n;
  return typeof value === 'object' && !(value instanceof CelTimestamp) && sizeOf(value as CelList | CelMap) === 0;
}

/** The functions of the language definition, and optional values. */
export const standardFunctions: readonly CelOverload[] = [...conversions, ...times, ...texts, ...optionals];
