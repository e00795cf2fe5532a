import { expect, it } from 'vitest';
import { isBeingStarted } from './being-started.js';

it.each([
  ['created', 0, true],
  ['created', 119_999, true],
  ['created', -119_999, true],
  ['created', 120_000, false],
  ['exited', 0, false],
  ['running', 0, false],
] as const)('a container that is %s, made %i ms ago: %j', (state, ageMs, expected) => {
  const now = Date.UTC(2026, 0, 1);
  expect(isBeingStarted({ state, createdAt: BigInt(now - ageMs) * 1_000_000n }, now)).toBe(expected);
});
