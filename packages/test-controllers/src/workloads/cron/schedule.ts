import { parseDuration } from '@nodeagent/api/helpers';
import { type WallTime, wallClock } from './wall-clock.js';

/** When a CronJob starts jobs. */
export interface CronSchedule {
  /** The first time after this one, in milliseconds since 1970; undefined if there is none within five years. */
  next(after: number): number | undefined;
}

interface Field {
  name: string;
  min: number;
  max: number;
  names?: readonly string[];
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const fields: readonly Field[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: months },
  { name: 'day of week', min: 0, max: 6, names: weekdays },
];

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const horizonMs = 5 * 366 * 24 * hourMs;

/**
 * Parses a schedule: five fields, a macro such as `@daily`, or `@every` with a duration. Kubernetes documentation, "CronJob: CronSchedule syntax".
 *
 * @param timeZone name of the tz database; default UTC
 * @throws Error that names the wrong field; `RangeError` for an unknown time zone
 */
export function parseCronSchedule(text: string, timeZone = 'UTC'): CronSchedule {
  const trimmed = text.trim();
  if (trimmed.startsWith('@every ')) return everySchedule(trimmed.slice('@every '.length));
  const [minute, hour, day, month, weekday, ...rest] = (macros[trimmed] ?? trimmed)
    .split(/\s+/)
    .map((part, i) => parseField(part, fields[i]));
  if (!minute || !hour || !day || !month || !weekday || rest.length > 0) throw new Error(`expected exactly 5 fields, found: "${text}"`);
  const clock = wallClock(timeZone);
  const isDay = (at: WallTime) =>
    day.isAny || weekday.isAny ? day.has(at.day) && weekday.has(at.weekday) : day.has(at.day) || weekday.has(at.weekday);
  return {
    next(after) {
      const end = after + horizonMs;
      for (let time = Math.floor(after / minuteMs) * minuteMs + minuteMs; time <= end; ) {
        const at = clock.at(time);
        if (!month.has(at.month) || !isDay(at)) time = clock.nextDay(time);
        else if (!hour.has(at.hour)) time += (60 - at.minute) * minuteMs;
        else if (!minute.has(at.minute)) time += minuteMs;
        else return time;
      }
      return undefined;
    },
  };
}

/** Whole seconds, at least one. */
function everySchedule(text: string): CronSchedule {
  const period = Math.max(1_000, Math.floor((parseDuration(text) ?? Number.NaN) / 1_000) * 1_000);
  if (!(period > 0)) throw new Error(`@every: "${text}" is not a duration`);
  return { next: (after) => Math.floor((after + period) / 1_000) * 1_000 };
}

interface Values {
  /** Whether the field has no restriction. */
  isAny: boolean;
  has(value: number): boolean;
}

function parseField(text: string, field: Field | undefined): Values {
  if (field === undefined) throw new Error('expected exactly 5 fields');
  const values = new Set<number>();
  for (const part of text.split(',')) for (const value of parseRange(part, field)) values.add(value);
  return { isAny: /^[*?](\/1)?$/.test(text), has: (value) => values.has(value) };
}

/** `*`, a number or name, or a range, each with an optional step. */
function parseRange(text: string, field: Field): number[] {
  const [range = '', stepText, ...more] = text.split('/');
  const [startText = '', endText, ...others] = range.split('-');
  const isAny = range === '*' || range === '?';
  const start = isAny ? field.min : parseValue(startText, field);
  const end =
    isAny || (endText === undefined && stepText !== undefined) ? field.max : endText === undefined ? start : parseValue(endText, field);
  const step = stepText === undefined ? 1 : /^\d+$/.test(stepText) ? Number(stepText) : 0;
  if (more.length > 0 || others.length > 0 || step < 1) throw new Error(`${field.name}: "${text}" is not a range with a step`);
  if (start < field.min || end > field.max || start > end)
    throw new Error(`${field.name}: "${text}" is not within ${field.min} to ${field.max}`);
  return Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, i) => start + i * step);
}

function parseValue(text: string, { name, min, names = [] }: Field): number {
  const index = names.indexOf(text.toLowerCase());
  if (index >= 0) return index + min;
  if (!/^\d+$/.test(text)) throw new Error(`${name}: "${text}" is not a number`);
  return Number(text);
}
