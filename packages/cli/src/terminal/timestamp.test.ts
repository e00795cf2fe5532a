import { expect, it } from 'vitest';
import { moment, momentOf, momentToCome } from './moment.js';

const now = Date.UTC(2026, 0, 1, 0, 1);

it.each([
  [-10_000, '2026-01-01T00:00:50Z (10s ago)'],
  [0, '2026-01-01T00:01:00Z (0s ago)'],
  [1, '2026-01-01T00:01:00Z (in 1s)'],
  [14_200, '2026-01-01T00:01:14Z (in 15s)'],
  [300_000, '2026-01-01T00:06:00Z (in 5m)'],
])('%i ms from now: %s', (ms, text) => {
  expect(moment(now + ms, now)).toBe(text);
});

it('is due when it should have come', () => {
  expect(momentToCome(now - 5, now)).toBe('2026-01-01T00:00:59Z (due)');
  expect(momentToCome(now + 5_000, now)).toBe('2026-01-01T00:01:05Z (in 5s)');
});

it('is of a time that there is', () => {
  expect(momentOf('2026-01-01T00:00:00Z', now)).toBe('2026-01-01T00:00:00Z (60s ago)');
  expect(momentOf(undefined, now)).toBeUndefined();
  expect(momentOf('soon', now)).toBeUndefined();
});
