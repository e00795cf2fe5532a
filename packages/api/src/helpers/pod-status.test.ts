import { expect, it } from 'vitest';
import { replaceOrAppendCondition, terminatedByKubelet } from './pod-status.js';

const ready = { type: 'Ready', status: 'True' };

it('a condition takes the place of the one of its type, or comes last', () => {
  const other = { type: 'Initialized', status: 'True' };
  expect(replaceOrAppendCondition([ready, other], { type: 'Ready', status: 'False' })).toEqual([{ type: 'Ready', status: 'False' }, other]);
  expect(replaceOrAppendCondition([ready], other)).toEqual([ready, other]);
});

it('a pod that the node ends says that the node is why', () => {
  const said = { reason: 'Evicted', message: 'The node was low on resource: memory.' };
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message: said.message,
    lastTransitionTime: '2026-01-01T00:00:00Z',
    observedGeneration: 3,
  };
  const before = { phase: 'Running', conditions: [ready], podIP: '10.0.0.1' };
  const now = Date.UTC(2026, 0, 1);
  expect(terminatedByKubelet({ metadata: { generation: 3 } }, before, said, now)).toEqual({
    ...before,
    ...{ phase: 'Failed', ...said },
    conditions: [ready, condition],
  });
  const [withoutGeneration] = terminatedByKubelet({}, {}, { ...said, conditionMessage: 'made room' }, now).conditions ?? [];
  expect(withoutGeneration).toEqual({ ...condition, message: 'made room', observedGeneration: undefined });
});
