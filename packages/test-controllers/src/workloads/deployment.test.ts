import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reconcileDeployment } from './deployment.js';
import type { Deployment, IntOrPercent } from './objects.js';
import { reconcileReplicaSet } from './replica-set.js';
import { TestObjects } from './test-objects.js';

function aDeployment(replicas: number, image = 'a:1', spec: Partial<Deployment['spec']> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'ns', uid: 'd', generation: 1 },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image }] } },
      ...spec,
    },
  };
}

function step(objects: TestObjects): number {
  const { now, pods, replicaSets, deployment } = objects;
  const ofSets = replicaSets.reduce((count, replicaSet) => count + objects.write(reconcileReplicaSet({ replicaSet, pods, now }).writes), 0);
  return ofSets + (deployment ? objects.write(reconcileDeployment({ deployment, replicaSets: objects.replicaSets, now }).writes) : 0);
}

/** Reconciles until nothing changes; `check` sees every intermediate state. */
function settle(objects: TestObjects, check = () => {}): void {
  for (let round = 0; round < 200; round += 1) {
    const count = step(objects);
    check();
    if (count === 0 && objects.pods.every(({ status }) => status?.phase !== undefined)) return;
    if (round % 3 === 0) objects.runPods();
  }
  throw new Error('does not settle');
}

function change(objects: TestObjects, spec: Partial<Deployment['spec']>): void {
  const { deployment } = objects;
  const generation = (deployment.metadata.generation ?? 0) + 1;
  objects.put({ ...deployment, metadata: { ...deployment.metadata, generation }, spec: { ...deployment.spec, ...spec } });
}

const withImage = (image: string) => ({ template: aDeployment(0, image).spec.template });
const images = (objects: TestObjects) => objects.pods.map(({ spec }) => spec?.containers[0]?.image);
const conditionOf = (objects: TestObjects, type: string) =>
  objects.deployment.status?.conditions?.find((condition) => condition.type === type);

function rolledOut(deployment: Deployment): TestObjects {
  const objects = new TestObjects();
  objects.put(deployment);
  settle(objects);
  return objects;
}

describe('reconcileDeployment', () => {
  it('rolls out: a ReplicaSet named by its template hash, its pods, and the status', () => {
    const objects = rolledOut(aDeployment(3));
    expect(images(objects)).toEqual(['a:1', 'a:1', 'a:1']);
    const [replicaSet] = objects.replicaSets;
    const hash = replicaSet?.metadata.labels?.['pod-template-hash'];
    expect(replicaSet?.metadata.name).toBe(`web-${hash}`);
    expect(replicaSet?.spec.selector?.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(objects.pods[0]?.metadata).toMatchObject({ labels: { app: 'web', 'pod-template-hash': hash }, namespace: 'ns' });
    expect(objects.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    expect(objects.deployment.status).toMatchObject({
      replicas: 3,
      updatedReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: 0,
      observedGeneration: 1,
      conditions: [
        { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
        { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
      ],
    });
  });

  it('scales', () => {
    const objects = rolledOut(aDeployment(2));
    change(objects, { replicas: 5 });
    settle(objects);
    expect(objects.pods).toHaveLength(5);
    change(objects, { replicas: 0 });
    settle(objects);
    expect(objects.pods).toHaveLength(0);
    expect(objects.deployment.status).toMatchObject({ replicas: 0, observedGeneration: 3 });
  });

  it('replaces pods within maxSurge and maxUnavailable', () => {
    const limit: fc.Arbitrary<IntOrPercent> = fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('0%', '25%', '50%', '100%'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), limit, limit, (replicas, maxSurge, maxUnavailable) => {
        const amount = (value: IntOrPercent, round: (share: number) => number) =>
          typeof value === 'string' ? round((Number.parseInt(value, 10) * replicas) / 100) : value;
        const surge = amount(maxSurge, Math.ceil);
        const missing = surge + amount(maxUnavailable, Math.floor) === 0 ? 1 : amount(maxUnavailable, Math.floor);
        const objects = rolledOut(
          aDeployment(replicas, 'a:1', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } }),
        );
        change(objects, withImage('a:2'));
        settle(objects, () => {
          const ready = objects.pods.filter(({ status }) => status?.phase === 'Running').length;
          expect(objects.pods.length).toBeLessThanOrEqual(replicas + surge);
          expect(ready).toBeGreaterThanOrEqual(replicas - missing);
        });
        expect(new Set(images(objects))).toEqual(new Set(['a:2']));
        expect(objects.deployment.status).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
      }),
      { numRuns: 40 },
    );
  });

  it('recreates: no new pod before the last old one is deleted', () => {
    const objects = rolledOut(aDeployment(3, 'a:1', { strategy: { type: 'Recreate' } }));
    change(objects, withImage('a:2'));
    settle(objects, () => expect(new Set(images(objects)).size).toBeLessThanOrEqual(1));
    expect(images(objects)).toEqual(['a:2', 'a:2', 'a:2']);
  });

  it('rolls back to the old ReplicaSet, as the newest revision', () => {
    const objects = rolledOut(aDeployment(1));
    const first = objects.replicaSets[0]?.metadata.name;
    change(objects, withImage('a:2'));
    settle(objects);
    expect(objects.deployment.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
    change(objects, withImage('a:1'));
    settle(objects);
    expect(objects.replicaSets).toHaveLength(2);
    const active = objects.replicaSets.find(({ spec }) => spec.replicas === 1);
    expect(active?.metadata.name).toBe(first);
    expect(active?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  it('keeps only revisionHistoryLimit old ReplicaSets', () => {
    const objects = rolledOut(aDeployment(1, 'a:0', { revisionHistoryLimit: 2 }));
    for (const image of ['a:1', 'a:2', 'a:3', 'a:4']) {
      change(objects, withImage(image));
      settle(objects);
    }
    expect(objects.replicaSets.map(({ spec }) => spec.template.spec.containers[0]?.image).sort()).toEqual(['a:2', 'a:3', 'a:4']);
  });

  it('scales but does not roll out while it is paused', () => {
    const objects = rolledOut(aDeployment(1));
    change(objects, { ...withImage('a:2'), paused: true, replicas: 2 });
    settle(objects);
    expect(images(objects)).toEqual(['a:1', 'a:1']);
    change(objects, { paused: false });
    settle(objects);
    expect(images(objects)).toEqual(['a:2', 'a:2']);
  });

  it('reports a rollout without progress', () => {
    const objects = new TestObjects();
    objects.put(aDeployment(1, 'a:1', { progressDeadlineSeconds: 60 }));
    for (let round = 0; round < 5; round += 1) step(objects);
    expect(conditionOf(objects, 'Available')).toMatchObject({ status: 'False', reason: 'MinimumReplicasUnavailable' });
    expect(conditionOf(objects, 'Progressing')).toMatchObject({ status: 'True' });
    const { againAt } = reconcileDeployment({ deployment: objects.deployment, replicaSets: objects.replicaSets, now: objects.now });
    expect(againAt).toBe(objects.now + 61_000);
    objects.now += 61_000;
    step(objects);
    expect(conditionOf(objects, 'Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    objects.runPods();
    settle(objects);
    expect(conditionOf(objects, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });

  it('waits for minReadySeconds', () => {
    const objects = new TestObjects();
    objects.put(aDeployment(1, 'a:1', { minReadySeconds: 10 }));
    for (let round = 0; round < 5; round += 1) {
      step(objects);
      objects.runPods();
    }
    expect(objects.deployment.status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    const [replicaSet] = objects.replicaSets;
    expect(replicaSet && reconcileReplicaSet({ replicaSet, pods: objects.pods, now: objects.now }).againAt).toBe(objects.now + 10_000);
    objects.now += 10_000;
    settle(objects);
    expect(objects.deployment.status).toMatchObject({ availableReplicas: 1 });
  });

  it('changes nothing while it is being deleted', () => {
    const objects = rolledOut(aDeployment(1));
    const { deployment } = objects;
    objects.put({
      ...deployment,
      metadata: { ...deployment.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { ...deployment.spec, replicas: 5 },
    });
    settle(objects);
    expect(objects.pods).toHaveLength(1);
  });
});

it('deletes the pods of a ReplicaSet in order of deletion cost', () => {
  const objects = rolledOut(aDeployment(3));
  const [first, second] = objects.pods;
  if (!first || !second) throw new Error('no pods');
  objects.put({ ...second, status: { phase: 'Pending' } });
  objects.put({ ...first, metadata: { ...first.metadata, annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-1' } } });
  const replicaSet = objects.replicaSets[0];
  if (!replicaSet) throw new Error('no ReplicaSet');
  const { writes } = reconcileReplicaSet({
    replicaSet: { ...replicaSet, spec: { ...replicaSet.spec, replicas: 1 } },
    pods: objects.pods,
    now: objects.now,
  });
  const deleted = writes.flatMap(({ verb, object }) => (verb === 'delete' ? [object.metadata?.name] : []));
  expect(deleted).toEqual([second.metadata?.name, first.metadata?.name]);
});

describe('a Deployment that is scaled', () => {
  const rollingUpdate = { maxSurge: 3, maxUnavailable: 2 };
  const sizes = (objects: TestObjects) => objects.replicaSets.map(({ spec }) => spec.replicas);

  /** In a rollout whose new pods never become ready: 8 old and 5 new ones. */
  function stuck(): TestObjects {
    const objects = rolledOut(aDeployment(10, 'a:1', { strategy: { type: 'RollingUpdate', rollingUpdate } }));
    change(objects, withImage('a:404'));
    for (let round = 0; round < 10; round++) step(objects);
    return objects;
  }

  it('distributes its replicas in proportion to the sizes of its ReplicaSets', () => {
    const objects = stuck();
    expect(sizes(objects)).toEqual([8, 5]);
    change(objects, { replicas: 30 });
    step(objects);
    expect(sizes(objects)).toEqual([20, 13]);
    expect(objects.replicaSets[0]?.metadata.annotations).toMatchObject({
      'deployment.kubernetes.io/desired-replicas': '30',
      'deployment.kubernetes.io/max-replicas': '33',
    });
    change(objects, { replicas: 10 });
    step(objects);
    expect(sizes(objects)).toEqual([8, 5]);
    change(objects, { replicas: 0 });
    step(objects);
    expect(sizes(objects)).toEqual([0, 0]);
  });

  it('follows its scale while it is paused, without a rollout', () => {
    const objects = rolledOut(aDeployment(2));
    change(objects, { paused: true, replicas: 4, ...withImage('a:2') });
    settle(objects);
    expect(sizes(objects)).toEqual([4]);
    expect(conditionOf(objects, 'Progressing')).toMatchObject({
      status: 'Unknown',
      reason: 'DeploymentPaused',
      message: 'Deployment is paused',
    });
    change(objects, { paused: false });
    step(objects);
    expect(conditionOf(objects, 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentResumed' });
    settle(objects);
    expect(new Set(images(objects))).toEqual(new Set(['a:2']));
    expect(conditionOf(objects, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });
});

it('scales the ReplicaSet of an earlier template up again for a rollback', () => {
  const objects = rolledOut(aDeployment(2));
  change(objects, withImage('a:2'));
  settle(objects);
  change(objects, withImage('a:1'));
  settle(objects);
  const revisions = objects.replicaSets.map(({ spec, metadata }) => [
    spec.replicas,
    metadata.annotations?.['deployment.kubernetes.io/revision'],
  ]);
  expect(revisions).toEqual([
    [2, '3'],
    [0, '2'],
  ]);
  expect(objects.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '3' });
});

it('counts revisions beyond 2 to the power of 53', () => {
  const objects = rolledOut(aDeployment(1));
  const [first] = objects.replicaSets;
  const annotations = { 'deployment.kubernetes.io/revision': '3546343826724305832' };
  if (first) objects.put({ ...first, metadata: { ...first.metadata, annotations } });
  change(objects, withImage('a:2'));
  settle(objects);
  expect(objects.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '3546343826724305833' });
});

it('does not create pods of the strategy Recreate while old ones terminate', () => {
  const objects = rolledOut(aDeployment(1, 'a:1', { strategy: { type: 'Recreate' } }));
  change(objects, withImage('a:2'));
  step(objects);
  const [replicaSet] = objects.replicaSets;
  if (replicaSet) objects.put({ ...replicaSet, status: { replicas: 0, terminatingReplicas: 1 } });
  const write = () =>
    objects.write(reconcileDeployment({ deployment: objects.deployment, replicaSets: objects.replicaSets, now: objects.now }).writes);
  write();
  expect(objects.replicaSets).toHaveLength(1);
  if (replicaSet)
    objects.put({ ...replicaSet, spec: { ...replicaSet.spec, replicas: 0 }, status: { replicas: 0, terminatingReplicas: 0 } });
  write();
  expect(objects.replicaSets).toHaveLength(2);
});

it('gives its annotations to its ReplicaSets, counts collisions of names, and reports failures of pods', () => {
  const objects = new TestObjects();
  const deployment = aDeployment(1);
  objects.put({ ...deployment, metadata: { ...deployment.metadata, annotations: { note: 'a' } } });
  step(objects);
  const [first] = objects.replicaSets;
  expect(first?.metadata.annotations).toMatchObject({ note: 'a' });
  expect(conditionOf(objects, 'Progressing')).toMatchObject({
    reason: 'NewReplicaSetCreated',
    message: `Created new replica set "${first?.metadata.name}"`,
  });
  if (first) objects.put({ ...first, metadata: { ...first.metadata, ownerReferences: [] } });
  step(objects);
  const [, second] = objects.replicaSets;
  expect(second?.metadata.name).not.toBe(first?.metadata.name);
  expect(objects.deployment.status?.collisionCount).toBe(1);
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'no' };
  if (second) objects.put({ ...second, status: { conditions: [failure] } });
  objects.write(reconcileDeployment({ deployment: objects.deployment, replicaSets: objects.replicaSets, now: objects.now }).writes);
  objects.write(reconcileDeployment({ deployment: objects.deployment, replicaSets: objects.replicaSets, now: objects.now }).writes);
  expect(conditionOf(objects, 'ReplicaFailure')).toMatchObject(failure);
});

it('remembers the earlier revisions of a ReplicaSet that becomes current again', () => {
  const objects = rolledOut(aDeployment(1));
  for (const image of ['a:2', 'a:1', 'a:2', 'a:1']) {
    change(objects, withImage(image));
    settle(objects);
  }
  expect(objects.replicaSets[0]?.metadata.annotations).toMatchObject({
    'deployment.kubernetes.io/revision': '5',
    'deployment.kubernetes.io/revision-history': '1,3',
  });
});

describe('the conditions of a Deployment', () => {
  const reasons = ({ deployment }: TestObjects) => deployment.status?.conditions?.map(({ reason }) => reason);

  it('begin with its new ReplicaSet, and the one that changed last is at the end', () => {
    const objects = new TestObjects();
    objects.put(aDeployment(2));
    step(objects);
    expect(reasons(objects)).toEqual(['NewReplicaSetCreated']);
    settle(objects);
    expect(reasons(objects)).toEqual(['MinimumReplicasAvailable', 'NewReplicaSetAvailable']);
    for (const pod of objects.pods) objects.put({ ...pod, status: { phase: 'Running' } });
    step(objects);
    step(objects);
    expect(reasons(objects)).toEqual(['NewReplicaSetAvailable', 'MinimumReplicasUnavailable']);
  });

  it('do not report the ReplicaSet that is created as it is resumed', () => {
    const objects = new TestObjects();
    objects.put(aDeployment(1, 'a:1', { paused: true }));
    settle(objects);
    change(objects, { paused: false });
    step(objects);
    expect(objects.replicaSets).toHaveLength(1);
    step(objects);
    expect(reasons(objects)).not.toContain('NewReplicaSetCreated');
  });
});
