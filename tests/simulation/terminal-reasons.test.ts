import type { PodStatus } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { newMemory } from './invariants.js';
import type { Snapshot } from './snapshot.js';
import { terminalReasons } from './terminal-reasons.js';

const pod = (status: PodStatus, deletionTimestamp?: string) => ({
  metadata: { name: 'p', uid: 'u', ...(deletionTimestamp && { deletionTimestamp }) },
  status,
});
const exited = (...codes: number[]): PodStatus => ({
  containerStatuses: codes.map((exitCode) => ({
    ...{ name: 'c', ready: false, restartCount: 0, image: '', imageID: '' },
    state: { terminated: { exitCode } },
  })),
});

function violations(before: ReturnType<typeof pod>, after: ReturnType<typeof pod>, isEvicted = false, hasContainer = false): string[] {
  const history = new HistoryBook();
  if (hasContainer) history.containers.set('c', { podUid: 'u' } as MemoryContainer);
  history.recordWrite(before, 0);
  history.clear();
  if (isEvicted) history.evicted.add('u');
  history.recordWrite(after, 1);
  return terminalReasons({ history } as unknown as Snapshot, newMemory());
}

const evicted: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };
const rejected: PodStatus = { phase: 'Failed', reason: 'OutOfcpu', message: 'Pod was rejected: no CPU' };

it('reports a reason that changes or is lost', () => {
  expect(violations(pod(evicted), pod({ ...evicted, reason: 'Preempting' }))).toEqual([
    'the reason of p changed from Evicted to Preempting',
  ]);
  expect(violations(pod({ ...exited(1), ...evicted }), pod({ ...exited(1), phase: 'Failed' }))).toHaveLength(1);
  expect(violations(pod({ ...exited(0, 1), ...evicted }), pod({ ...exited(0, 1), phase: 'Failed' }))).toHaveLength(1);
});

it('allows that the reason of a pod whose containers exited with 0 is lost', () => {
  expect(violations(pod({ ...exited(0, 0), ...evicted }), pod({ ...exited(0, 0), phase: 'Failed' }))).toEqual([]);
});

it('allows the eviction and the preemption of a rejected pod after its deletion', () => {
  const preempted: PodStatus = { phase: 'Failed', reason: 'Preempting' };
  expect(violations(pod(rejected, 't'), pod(preempted, 't'), true)).toEqual([]);
  expect(violations(pod(rejected), pod(preempted), true)).toHaveLength(1);
  expect(violations(pod(rejected, 't'), pod(evicted, 't'), true)).toEqual([]);
  expect(violations(pod(rejected), pod(evicted), true)).toHaveLength(1);
  expect(violations(pod(rejected, 't'), pod(evicted, 't'))).toHaveLength(1);
});

it('allows the rejection of a pod that was evicted during its admission', () => {
  expect(violations(pod(evicted), pod(rejected), true)).toEqual([]);
  expect(violations(pod(evicted), pod(rejected), true, true)).toHaveLength(1);
  expect(violations(pod(evicted), pod(rejected))).toHaveLength(1);
});
