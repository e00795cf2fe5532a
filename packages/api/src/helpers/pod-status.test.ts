import { expect, it } from 'vitest';
import { replaceOrAppendCondition, terminatedByKubelet } from './pod-status.js';

const ready = { type: 'Ready', status: 'True' };

it('replaces the condition of the same type, or appends it', () => {
  const other = { type: 'Initialized', status: 'True' };
  expect(replaceOrAppendCondition([ready, other], { type: 'Ready', status: 'False' })).toEqual([{ type: 'Ready', status: 'False' }, other]);
  expect(replaceOrAppendCondition([ready], other)).toEqual([ready, other]);
});

it('a pod that the kubelet terminates is Failed and has the condition DisruptionTarget', () => {
  const failure = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message: failure.message,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: 3,
  };
  const before = { phase: 'Running', conditions: [ready], podIP: '10.0.0.1' };
  const now = Date.UTC(2026, 0, 1);
  expect(terminatedByKubelet({ metadata: { generation: 3 } }, before, failure, now)).toEqual({
    ...before,
    ...{ phase: 'Failed', ...failure },
    conditions: [ready, condition],
  });
  const [withoutGeneration] = terminatedByKubelet({}, {}, { ...failure, conditionMessage: 'made room' }, now).conditions ?? [];
  expect(withoutGeneration).toEqual({ ...condition, message: 'made room', observedGeneration: undefined });
});
