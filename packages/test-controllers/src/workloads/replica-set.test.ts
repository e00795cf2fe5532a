import type { Pod } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from './objects.js';
import { byWorth } from './pod-states.js';
import { reconcileReplicaSet } from './replica-set.js';
import { TestObjects } from './test-objects.js';

it('replaces a pod that fails at once ten seconds after its creation, and one that failed later at once', () => {
  const objects = new TestObjects();
  const replicaSet: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { replicas: 1, template: { spec: { containers: [] } } },
  };
  const step = () => {
    const { writes, againAt } = reconcileReplicaSet({ replicaSet, pods: objects.pods, now: objects.now });
    const own = writes.filter(({ object }) => object.kind === 'Pod');
    objects.write(own);
    return { verbs: own.map(({ verb }) => verb), ...(againAt !== undefined && { inMs: againAt - objects.now }) };
  };
  const failNewest = () => {
    const [pod] = objects.pods.slice(-1);
    if (pod) objects.setPod(pod, 'Failed');
  };
  expect(step()).toEqual({ verbs: ['create'] });
  failNewest();
  expect(step()).toEqual({ verbs: [], inMs: 10_000 });
  objects.now += 10_000;
  expect(step()).toEqual({ verbs: ['create'] });
  objects.now += 60_000;
  failNewest();
  expect(step()).toEqual({ verbs: ['create'] });
});

describe('a ReplicaSet that scales down', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  const ago = (seconds: number) => formatTime(now - seconds * 1_000);
  const ready = (seconds: number): Pod['status'] => ({
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(seconds) }],
  });
  const restarted = (restartCount: number) => [{ name: 'c', restartCount, ready: true, image: '', imageID: '' }];
  const aPod = (uid: string, change: { node?: string; age?: number; status?: Pod['status']; cost?: string } = {}): Pod => ({
    metadata: {
      ...{ uid, name: uid, creationTimestamp: ago(change.age ?? 100) },
      ...(change.cost && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': change.cost } }),
    },
    spec: { containers: [], nodeName: change.node ?? `node-of-${uid}` },
    status: change.status ?? ready(50),
  });
  const order: [what: string, pods: Pod[]][] = [
    ['pods without a node', [aPod('b', { node: '', status: { phase: 'Pending' } }), aPod('a', { status: { phase: 'Pending' } })]],
    ['pods that do not run', [aPod('b', { status: { phase: 'Pending' } }), aPod('a', { status: { phase: 'Running' } })]],
    ['pods that are not ready', [aPod('b', { status: { phase: 'Running' } }), aPod('a')]],
    ['pods of a lower cost', [aPod('b', { cost: '-5' }), aPod('a', { cost: '+5' }), aPod('c', { cost: '3' })]],
    ['pods on a node with more of them', [aPod('c', { node: 'n', age: 60 }), aPod('b', { node: 'n' }), aPod('a')]],
    ['pods that became ready later', [aPod('b', { status: ready(1) }), aPod('a', { status: ready(60) })]],
    ['pods by their UID that became ready in the same power of two', [aPod('a', { status: ready(60) }), aPod('b', { status: ready(55) })]],
    ['pods with more restarts', [aPod('b', { status: { ...ready(50), containerStatuses: restarted(3) } }), aPod('a')]],
    ['younger pods', [aPod('b', { age: 60 }), aPod('a', { age: 3_000 })]],
  ];
  it.each(order)('deletes %s first', (_, pods) => {
    const ranked = byWorth(pods.toReversed(), { now, related: pods });
    expect(ranked.map(({ metadata }) => metadata?.uid)).toEqual(pods.map(({ metadata }) => metadata?.uid));
  });

  it('counts the pods of the other ReplicaSets of its Deployment', () => {
    const related = [aPod('a', { node: 'n' }), aPod('b', { node: 'm' }), aPod('other', { node: 'm' })];
    expect(byWorth(related.slice(0, 2), { now, related })[0]?.metadata?.uid).toBe('b');
  });
});
