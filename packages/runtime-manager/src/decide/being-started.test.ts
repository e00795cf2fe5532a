import { expect, it } from 'vitest';
import { isBeingStarted, isLeftUnstarted } from './being-started.js';

it.each([
  ['created', 0, true],
  ['created', 119_999, true],
  ['created', -119_999, true],
  ['created', 120_000, false],
  ['exited', 0, false],
  ['running', 0, false],
] as const)('whether a container is being started: %s, created %i ms ago: %j', (state, ageMs, expected) => {
  const now = Date.UTC(2026, 0, 1);
  expect(isBeingStarted({ state, createdAt: BigInt(now - ageMs) * 1_000_000n }, now)).toBe(expected);
});

it.each([
  ['created before this agent started', 'created', 9n, true],
  ['created by this agent', 'created', 10n, false],
  ['running, started by a previous agent', 'running', 9n, false],
  ['exited, started by a previous agent', 'exited', 9n, false],
] as const)('whether a container was left unstarted: %s', (_what, state, createdAt, expected) => {
  expect(isLeftUnstarted({ state, createdAt }, 10n)).toBe(expected);
});
