import { expect, it } from 'vitest';
import type { ReplicaSet } from './objects.js';
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
