import type { Pod, PodStatus } from '@nodeagent/api';
import type { PodView } from '@nodeagent/core/node';
import type { MemoryContainer } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { HistoryBook } from './history.js';
import { newMemory } from './invariants.js';
import { admittedOf, requests } from './requests-invariant.js';
import type { Snapshot } from './snapshot.js';

const pod = (uid: string): Pod => ({
  metadata: { name: uid, uid, creationTimestamp: `2026-01-01T00:00:0${uid.length}Z` },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] },
});

/** A node of 3 CPUs with running pods of 2 CPUs: static ones, and others in the order of the length of their names, some deleted before. */
function violations(
  uids: readonly string[],
  deleted: readonly string[] = [],
  statics: readonly string[] = [],
  late: readonly string[] = [],
): string[] {
  const history = new HistoryBook();
  for (const uid of deleted) history.recordRemoval(uid, 0, 30_000);
  for (const uid of late) history.createdAtStop.add(uid);
  return requests(
    {
      pods: uids.map(pod),
      statics: statics.map((uid) => ({ ...pod(uid), metadata: { name: uid, uid } })),
      containers: [...uids, ...statics].map((podUid) => ({ id: podUid, podUid, name: 'c', state: 'running' }) as MemoryContainer),
      admitted: new Set([...uids, ...statics]),
      allocatable: { cpu: 3000, memory: 0 },
      history,
    } as unknown as Snapshot,
    newMemory(),
  );
}

it('reports pods that request more than the node has', () => {
  expect(violations(['a'])).toEqual([]);
  expect(violations(['a', 'bb'])).toEqual(['the running pods request 4000 thousandths of cpu, the node has 3000: a bb']);
});

it('counts a pod that the agent got deleted for the admission of the pods after it only', () => {
  expect(violations(['ending'], ['ending'], ['static'])).toEqual([]);
  expect(violations(['a', 'ending'], ['ending'])).toEqual([]);
  expect(violations(['a', 'ending'], ['a'])).toHaveLength(1);
});

it('does not count a container whose start completed after its sandbox was stopped', () => {
  expect(violations(['a', 'bb'], [], [], ['a'])).toEqual([]);
});

it('counts a pod that is deleted after its admission', () => {
  const memory = newMemory();
  const history = new HistoryBook();
  const snapshot = {
    pods: [pod('a'), pod('bb')],
    statics: [],
    containers: ['a', 'bb'].map((podUid) => ({ podUid, name: 'c', state: 'running' })),
    admitted: new Set(['a', 'bb']),
    allocatable: { cpu: 4000, memory: 0 },
    history,
  } as unknown as Snapshot;
  expect(requests(snapshot, memory)).toEqual([]);
  history.recordRemoval('bb', 0, 30_000);
  expect(requests({ ...snapshot, allocatable: { cpu: 3000, memory: 0 } }, memory)).toHaveLength(1);
});

it('counts no pod whose admission waits or that was rejected', () => {
  const view = (uid: string, state: PodView['state'], status: PodStatus = {}) => ({ pod: pod(uid), status, state, lastEvent: undefined });
  const rejected = { message: 'Pod was rejected: no CPU' };
  expect([...admittedOf([view('a', 'SyncPod'), view('waits', undefined), view('rejected', 'TerminatedPod', rejected)])]).toEqual(['a']);
});
