import { expect, it } from 'vitest';
import {
  choiceOf,
  completeSettings,
  defaultsOf,
  type GivenSettings,
  notNegative,
  numberFrom,
  pickSettings,
  positive,
  type SettingsOf,
  type SettingTable,
  settingNames,
  wholeNumberFrom,
} from './settings.js';

const table = {
  /** A period. */
  periodMs: { default: 1_000, unit: 'ms', check: positive },
  driver: choiceOf('cgroupfs', 'systemd'),
  score: { default: undefined as number | undefined, check: wholeNumberFrom(-10, 10) },
  options: { default: {} as { fast?: boolean }, keys: ['fast'] },
} satisfies SettingTable;

const complete = (given: GivenSettings<typeof table>) => () => completeSettings(table, given);

it('completes settings by the defaults; undefined counts as absent', () => {
  const settings: SettingsOf<typeof table> = completeSettings(table, { periodMs: undefined, driver: 'systemd' });
  expect(settings).toEqual({ periodMs: 1_000, driver: 'systemd', options: {} });
  expect(defaultsOf(table)).toEqual({ periodMs: 1_000, driver: 'cgroupfs', options: {} });
  expect(completeSettings(table, { score: 3 }).score).toBe(3);
});

it.each<[GivenSettings<typeof table>, string, string]>([
  [{ periodMs: 0 }, 'settings.periodMs', 'settings.periodMs must be a number above 0, got 0'],
  [{ driver: 'none' as never }, 'settings.driver', 'settings.driver must be cgroupfs or systemd, got "none"'],
  [{ score: 1.5 }, 'settings.score', 'settings.score must be a whole number from -10 to 10, got 1.5'],
])('refuses %o', (given, field, message) => {
  expect(complete(given)).toThrow(expect.objectContaining({ code: 'InvalidOption', message, details: { field } }));
});

it('names the path of the settings, and uses the text of a check', () => {
  const check = { ...positive, message: 'the period is wrong' };
  const rows = { periodMs: { ...table.periodMs, check } };
  expect(() => completeSettings(rows, { periodMs: -1 }, '')).toThrow(
    expect.objectContaining({ message: 'the period is wrong', details: { field: 'periodMs' } }),
  );
});

it('lists the names of settings, and of the entries of maps', () => {
  expect(settingNames(table)).toEqual({ periodMs: true, driver: true, score: true, options: { fast: true } });
  expect(pickSettings(table, ['driver'])).toEqual({ driver: table.driver });
});

it.each([
  [positive, [1, 0.5], [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1', undefined]],
  [notNegative, [0, 1], [-1, Number.NaN, null]],
  [numberFrom(1, 2), [1, 1.5, 2], [0.9, 2.1]],
  [wholeNumberFrom(0), [0, 7], [-1, 0.5]],
])('%o', ({ accepts }, accepted, refused) => {
  expect([accepted.every(accepts), refused.some(accepts)]).toEqual([true, false]);
});
