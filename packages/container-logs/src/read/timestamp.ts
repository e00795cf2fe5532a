import { encodeUtf8 } from '@nodeagent/api/helpers';

/** The time of a log line, in nanoseconds, with its UTC offset. */
export interface LogTimestamp {
  /** Whole seconds since 1970. */
  seconds: number;
  /** Nanoseconds within the second. */
  nanos: number;
  /** UTC offset in minutes east. */
  offset: number;
}

const zero = 0x30;
const [plus, comma, minus, period, colon, letterT, letterZ] = [0x2b, 0x2c, 0x2d, 0x2e, 0x3a, 0x54, 0x5a];
const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A parsed time and its end in the bytes. */
export interface ScannedTimestamp extends LogTimestamp {
  end: number;
}

/**
 * Parses an RFC 3339 time from bytes, as leniently as the kubelet: the hour may have one digit, a fraction any number of digits (those
 * beyond nine are ignored) after a period or a comma. Undefined if there is no time at `start`.
 */
export function scanTimestamp(bytes: Uint8Array, start: number): ScannedTimestamp | undefined {
  const century = twoDigits(bytes, start);
  const yearOfCentury = twoDigits(bytes, start + 2);
  const month = twoDigits(bytes, start + 5);
  const day = twoDigits(bytes, start + 8);
  if (century < 0 || yearOfCentury < 0 || month < 1 || month > 12 || day < 1) return undefined;
  const year = century * 100 + yearOfCentury;
  if (day > 28 && day > daysIn(year, month)) return undefined;
  if (bytes[start + 4] !== minus || bytes[start + 7] !== minus || bytes[start + 10] !== letterT) return undefined;

  let at = start + 11;
  const isShortHour = bytes[at + 1] === colon;
  const hour = isShortHour ? digit(bytes, at) : twoDigits(bytes, at);
  at += isShortHour ? 1 : 2;
  const minute = twoDigits(bytes, at + 1);
  const second = twoDigits(bytes, at + 4);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;
  if (bytes[at] !== colon || bytes[at + 3] !== colon) return undefined;
  at += 6;

  let nanos = 0;
  if ((bytes[at] === period || bytes[at] === comma) && digit(bytes, at + 1) >= 0) {
    let places = 0;
    for (let next = digit(bytes, ++at); next >= 0; next = digit(bytes, ++at)) if (places++ < 9) nanos = nanos * 10 + next;
    for (; places < 9; places++) nanos *= 10;
  }

  let offset = 0;
  if (bytes[at] === letterZ) at++;
  else {
    const sign = bytes[at] === plus ? 1 : bytes[at] === minus ? -1 : 0;
    const hours = twoDigits(bytes, at + 1);
    const minutes = twoDigits(bytes, at + 4);
    if (sign === 0 || bytes[at + 3] !== colon || hours < 0 || hours > 24 || minutes < 0 || minutes > 60) return undefined;
    offset = sign * (hours * 60 + minutes);
    at += 6;
  }
  return { seconds: daysSince1970(year, month, day) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second, nanos, offset, end: at };
}

/** Parses an RFC 3339 time; undefined if it is invalid. */
export function parseTimestamp(text: string): LogTimestamp | undefined {
  const bytes = encodeUtf8(text);
  const { end, ...timestamp } = scanTimestamp(bytes, 0) ?? { end: -1 };
  return end === bytes.length ? (timestamp as LogTimestamp) : undefined;
}

/** Formats a time with nanoseconds and its UTC offset (`Z` for 0), as the option `timestamps` does. */
export function formatTimestamp({ seconds, nanos, offset }: LogTimestamp): string {
  const local = new Date((seconds + offset * 60) * 1000).toISOString().slice(0, 19);
  return `${local}.${String(nanos).padStart(9, '0')}${formatOffset(offset)}`;
}

function formatOffset(offset: number): string {
  if (offset === 0) return 'Z';
  const minutes = Math.abs(offset);
  return `${offset < 0 ? '-' : '+'}${twoPlaces(Math.floor(minutes / 60))}:${twoPlaces(minutes % 60)}`;
}

const twoPlaces = (value: number) => String(value).padStart(2, '0');

/** Whether the first time is earlier than the second. */
export function isBefore(a: LogTimestamp, b: LogTimestamp): boolean {
  return a.seconds < b.seconds || (a.seconds === b.seconds && a.nanos < b.nanos);
}

/** Negative if the byte is not a digit, or beyond the end. */
function digit(bytes: Uint8Array, at: number): number {
  const value = (bytes[at] as number) ^ zero;
  return value <= 9 ? value : -1;
}

/** Negative unless both are digits. */
function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) ^ zero;
  const ones = (bytes[at + 1] as number) ^ zero;
  return tens <= 9 && ones <= 9 ? tens * 10 + ones : -1;
}

function daysIn(year: number, month: number): number {
  const isLeapDay = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (monthDays[month - 1] ?? 0) + (isLeapDay ? 1 : 0);
}

/** In the Gregorian calendar. Years start in March here, so that the leap day is the last day of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return years * 365 + Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400) + dayOfYear - 719_468;
}
