import { expect, it } from 'vitest';
import { invalidOption, invalidOptionText, requirePositive } from './options.js';

it.each([
  [undefined, {}],
  [0.5, {}],
  [3, { integer: true }],
])('accepts %s as a positive number with %j', (value, rule) => {
  expect(() => requirePositive('period', value, rule)).not.toThrow();
});

it.each([
  [0, {}, 'period must be a number above 0, got 0'],
  [-1, {}, 'period must be a number above 0, got -1'],
  [Number.NaN, {}, 'period must be a number above 0, got NaN'],
  [Number.POSITIVE_INFINITY, {}, 'period must be a number above 0, got Infinity'],
  [1.5, { integer: true }, 'period must be a whole number above 0, got 1.5'],
])('rejects %s with %j', (value, rule, message) => {
  expect(() => requirePositive('period', value, rule)).toThrow(
    expect.objectContaining({ code: 'InvalidOption', message, details: { field: 'period' } }),
  );
});

it('shows the invalid value', () => {
  const shown = (value: unknown) => invalidOption('f', 'a path', value).message.replace('f must be a path, got ', '');
  expect(['x', undefined, null, {}, () => {}].map(shown)).toEqual(['"x"', 'undefined', 'null', 'object', 'function']);
});

it("keeps the caller's message", () => {
  const cause = new Error('unable to parse');
  expect(invalidOptionText('settings.size', 'failed to parse the size', { cause, hint: 'Give 10Mi.' })).toMatchObject({
    code: 'InvalidOption',
    message: 'failed to parse the size',
    details: { field: 'settings.size' },
    hint: 'Give 10Mi.',
    cause,
  });
});
