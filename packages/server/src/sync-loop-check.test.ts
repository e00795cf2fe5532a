import { expect, it } from 'vitest';
import { syncLoopHealthCheck } from './sync-loop-check.js';

const error = (lastStepAt: number | undefined, syncFrequencyMs: number) =>
  syncLoopHealthCheck({ lastStepAt, now: 1_000_000, syncFrequencyMs }).error;

it('fails when the sync loop completed no step for two sync periods', () => {
  expect(error(undefined, 200_000)).toBeUndefined();
  expect(error(600_000, 200_000)).toBeUndefined();
  expect(error(599_999, 200_000)).toBe('sync Loop took longer than expected');
});

it('does not fail before five minutes', () => {
  expect(error(700_000, 1_000)).toBeUndefined();
  expect(error(699_999, 1_000)).toBe('sync Loop took longer than expected');
});
