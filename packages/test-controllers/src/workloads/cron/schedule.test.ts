import { describe, expect, it } from 'vitest';
import { parseCronSchedule } from './schedule.js';

const next = (schedule: string, after: string, timeZone?: string) => {
  const time = parseCronSchedule(schedule, timeZone).next(Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString().replace(':00.000Z', 'Z');
};

describe('parseCronSchedule', () => {
  it.each([
    ['* * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:01Z'],
    ['* * * * *', '2026-01-01T00:00:59.999Z', '2026-01-01T00:01Z'],
    ['*/15 * * * *', '2026-01-01T00:15:00Z', '2026-01-01T00:30Z'],
    ['30 6-16/4 * * 1-5', '2026-01-02T15:00:00Z', '2026-01-05T06:30Z'],
    ['0 0 1 jan ?', '2026-01-01T00:00:00Z', '2027-01-01T00:00Z'],
    ['5,10 3 * * *', '2026-01-01T03:05:00Z', '2026-01-01T03:10Z'],
    ['3/20 * * * *', '2026-01-01T00:00:00Z', '2026-01-01T00:03Z'],
    ['0 12 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T12:00Z'],
    ['@daily', '2026-02-28T12:00:00Z', '2026-03-01T00:00Z'],
    ['@weekly', '2026-01-01T00:00:00Z', '2026-01-04T00:00Z'],
    ['@every 90m', '2026-01-01T00:10:00Z', '2026-01-01T01:40Z'],
  ])('%s after %s is %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });

  it('starts on a day that matches either of two restricted fields of days', () => {
    expect(next('0 0 13 * 5', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00Z');
    expect(next('0 0 13 * 5', '2026-01-09T00:00:00Z')).toBe('2026-01-13T00:00Z');
    expect(next('0 0 */13 * 5', '2026-01-01T00:00:00Z')).toBe('2026-01-02T00:00Z');
    expect(next('0 0 */1 * 5', '2026-01-02T00:00:00Z')).toBe('2026-01-09T00:00Z');
  });

  it('never starts on a date that does not exist', () => {
    expect(next('59 23 31 2 *', '2026-01-01T00:00:00Z')).toBeUndefined();
  });

  it.each([
    ['0 9 * * *', '2026-01-01T00:00:00Z', 'Asia/Kolkata', '2026-01-01T03:30Z'],
    ['0 0 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin', '2026-03-28T23:00Z'],
    ['0 0 * * *', '2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-29T22:00Z'],
    ['0 0 * * *', '2026-10-25T00:00:00Z', 'Europe/Berlin', '2026-10-25T23:00Z'],
    // 02:30 does not exist on the day when summer time starts, and exists twice when it ends.
    ['30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin', '2026-03-30T00:30Z'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', 'Europe/Berlin', '2026-10-25T01:30Z'],
  ])('%s after %s in %s', (schedule, after, timeZone, expected) => {
    expect(next(schedule, after, timeZone)).toBe(expected);
  });

  it.each([
    ['* * * *', /expected exactly 5 fields/],
    ['* * * * * *', /expected exactly 5 fields/],
    ['60 * * * *', /^minute: "60" is not within 0 to 59/],
    ['5-1 * * * *', /^minute/],
    ['*/0 * * * *', /^minute: "\*\/0" is not a range with a step/],
    ['@every often', /^@every/],
    ['* * * * mum', /^day of week: "mum" is not a number/],
  ])('refuses %s', (schedule, message) => {
    expect(() => parseCronSchedule(schedule)).toThrow(message);
  });

  it('refuses an unknown time zone', () => {
    expect(() => parseCronSchedule('* * * * *', 'Nowhere/City')).toThrow(RangeError);
  });
});
