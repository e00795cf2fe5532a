import { expect, it } from 'vitest';
import { type RuntimeState, runtimeErrorsChanged, runtimeStateErrors } from './runtime-state.js';

const thresholds = { runtimeStatusPeriodMs: 5_000, runtimeStatusThresholdMs: 30_000 };
const healthy: RuntimeState = {
  now: 100_000,
  requestedAt: undefined,
  lastAnswerAt: 70_000,
  lastFailure: '',
  notReadyMessage: '',
  plegError: undefined,
};

it.each<[string, Partial<RuntimeState>, string[]]>([
  ['answered within the threshold', {}, []],
  ['failed since, but within the threshold', { lastFailure: 'connection refused' }, []],
  ['has never answered', { lastAnswerAt: undefined }, ['container runtime status check may not have completed yet']],
  ['answered too long ago', { lastAnswerAt: 69_999 }, ['container runtime is down']],
  ['failed at last', { lastAnswerAt: 69_999, lastFailure: 'connection refused' }, ['connection refused']],
  ['does not answer a request', { lastAnswerAt: 69_999, requestedAt: 95_000 }, ['container runtime is down: it does not respond']],
  ['was asked just now', { lastAnswerAt: 69_999, requestedAt: 95_001 }, ['container runtime is down']],
  [
    'is not ready, and the PLEG is not healthy',
    { notReadyMessage: 'starting', plegError: 'too late' },
    ['container runtime not ready: starting', 'PLEG is not healthy: too late'],
  ],
])('a runtime that %s', (_, state, errors) => {
  expect(runtimeStateErrors({ ...healthy, ...state }, thresholds)).toEqual(errors);
});

it('compares errors without their durations', () => {
  expect(runtimeErrorsChanged(undefined, [])).toBe(true);
  expect(runtimeErrorsChanged([], [])).toBe(false);
  expect(runtimeErrorsChanged(['active 3m1s ago'], ['active 1h0m2s ago'])).toBe(false);
  expect(runtimeErrorsChanged(['active 3m1s ago'], ['seen 3m1s ago'])).toBe(true);
  expect(runtimeErrorsChanged(['a'], ['a', 'b'])).toBe(true);
});
