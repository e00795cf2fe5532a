import { expect, it } from 'vitest';
import { isBeingStarted, isLeftUnstarted } from './being-started.js';

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

it.each([
  ['made before this agent began', 'created', 9n, true],
  ['made by this agent', 'created', 10n, false],
  ['running since before', 'running', 9n, false],
  ['ended before', 'exited', 9n, false],
] as const)('%s: left unstarted?', (_what, state, createdAt, expected) => {
  expect(isLeftUnstarted({ state, createdAt }, 10n)).toBe(expected);
});
