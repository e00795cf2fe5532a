import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { claimObjects } from './claim-objects.js';
import type { ReplicaSet } from './objects.js';

const owner: ReplicaSet = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', uid: 'w' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: { spec: { containers: [] } } },
};
const reference = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'w', controller: true, blockOwnerDeletion: true };
const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', uid: 'c' };

const aPod = (name: string, app: string, metadata: Pod['metadata'] = {}): Pod => ({ metadata: { name, labels: { app }, ...metadata } });
const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.name);

it('adopts orphans that match, and releases its own that no longer match', () => {
  const pods = [
    aPod('orphan', 'web', { ownerReferences: [other] }),
    aPod('foreign', 'web', { ownerReferences: [{ ...reference, uid: 'x' }] }),
    aPod('other', 'db'),
    aPod('deleted', 'web', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    aPod('own', 'web', { ownerReferences: [reference] }),
    aPod('relabelled', 'db', { ownerReferences: [other, reference] }),
    aPod('alone', 'db', { ownerReferences: [reference] }),
  ];
  const { adopted, released } = claimObjects(owner, pods);
  expect(names(adopted)).toEqual(['orphan']);
  expect(adopted[0]?.metadata?.ownerReferences).toEqual([other, reference]);
  expect(names(released)).toEqual(['relabelled', 'alone']);
  expect(released.map(({ metadata }) => metadata?.ownerReferences)).toEqual([[other], undefined]);
});

it('claims nothing while it is being deleted', () => {
  const deleted = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const pods = [aPod('orphan', 'web'), aPod('own', 'db', { ownerReferences: [reference] })];
  expect(claimObjects(deleted, pods)).toEqual({ adopted: [], released: [] });
});

it('reads the selector of a ReplicationController as labels, and adopts only what may be adopted', () => {
  const controller = {
    ...owner,
    kind: 'ReplicationController',
    spec: { ...owner.spec, selector: { app: 'web' } },
  } as unknown as ReplicaSet;
  const pods = [aPod('a', 'web'), aPod('b', 'web')];
  expect(names(claimObjects(controller, pods).adopted)).toEqual(['a', 'b']);
  expect(names(claimObjects(controller, pods, ({ metadata }) => metadata?.name === 'b').adopted)).toEqual(['b']);
});
