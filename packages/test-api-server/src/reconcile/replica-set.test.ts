import { expect, it } from 'vitest';
import type { ReplicaSet } from './objects.js';
import { reconcileReplicaSet } from './replica-set.js';
import { TestObjects } from './test-objects.js';

it('replaces a pod that fails at once ten seconds after its creation, and one that failed later at once', () => {
  const world = new TestObjects();
  const replicaSet: ReplicaSet = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { replicas: 1, template: { spec: { containers: [] } } },
  };
  const step = () => {
    const { writes, againAt } = reconcileReplicaSet({ replicaSet, pods: world.pods, now: world.now });
    const own = writes.filter(({ object }) => object.kind === 'Pod');
    world.write(own);
    return { verbs: own.map(({ verb }) => verb), ...(againAt !== undefined && { inMs: againAt - world.now }) };
  };
  const failNewest = () => {
    const [pod] = world.pods.slice(-1);
    if (pod) world.setPod(pod, 'Failed');
  };
  expect(step()).toEqual({ verbs: ['create'] });
  failNewest();
  expect(step()).toEqual({ verbs: [], inMs: 10_000 });
  world.now += 10_000;
  expect(step()).toEqual({ verbs: ['create'] });
  world.now += 60_000;
  failNewest();
  expect(step()).toEqual({ verbs: ['create'] });
});
