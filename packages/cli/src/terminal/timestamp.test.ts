import { expect, it } from 'vitest';
import { formatKubernetesTime, formatScheduledTime, formatTimestamp } from './timestamp.js';

const now = Date.UTC(2026, 0, 1, 0, 1);

it.each([
  [-10_000, '2026-01-01T00:00:50Z (10s ago)'],
  [0, '2026-01-01T00:01:00Z (0s ago)'],
  [1, '2026-01-01T00:01:00Z (in 1s)'],
  [14_200, '2026-01-01T00:01:14Z (in 15s)'],
  [300_000, '2026-01-01T00:06:00Z (in 5m)'],
])('%i ms from now: %s', (ms, text) => {
  expect(formatTimestamp(now + ms, now)).toBe(text);
});

it('is due when it is in the past', () => {
  expect(formatScheduledTime(now - 5, now)).toBe('2026-01-01T00:00:59Z (due)');
  expect(formatScheduledTime(now + 5_000, now)).toBe('2026-01-01T00:01:05Z (in 5s)');
});

it('formats valid times only', () => {
  expect(formatKubernetesTime('2026-01-01T00:00:00Z', now)).toBe('2026-01-01T00:00:00Z (60s ago)');
  expect(formatKubernetesTime(undefined, now)).toBeUndefined();
  expect(formatKubernetesTime('later', now)).toBeUndefined();
});
