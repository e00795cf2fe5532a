import { expect, it } from 'vitest';
import { nextRelistDelay } from './relist-delay.js';

const periods = { genericPeriodMs: 1_000, eventedPeriodMs: 300_000 };

it('relists every second without events', () => {
  expect(nextRelistDelay({ following: false, relistsWithoutDrift: 50, ...periods })).toBe(1_000);
});

it('relists at growing intervals while events report all changes', () => {
  const delays = [0, 1, 2, 8, 9, 5_000].map((relistsWithoutDrift) => nextRelistDelay({ following: true, relistsWithoutDrift, ...periods }));
  expect(delays).toEqual([1_000, 2_000, 4_000, 256_000, 300_000, 300_000]);
});

it('never relists more often with events than without', () => {
  expect(nextRelistDelay({ following: true, relistsWithoutDrift: 3, genericPeriodMs: 1_000, eventedPeriodMs: 500 })).toBe(1_000);
});
