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

function step(world: TestObjects): number {
  const { now, pods, replicaSets, deployment } = world;
  const ofSets = replicaSets.reduce((count, replicaSet) => count + world.write(reconcileReplicaSet({ replicaSet, pods, now }).writes), 0);
  return ofSets + (deployment ? world.write(reconcileDeployment({ deployment, replicaSets: world.replicaSets, now }).writes) : 0);
}

/** Reconciles until nothing changes; `check` sees every intermediate state. */
function settle(world: TestObjects, check = () => {}): void {
  for (let round = 0; round < 200; round += 1) {
    const count = step(world);
    check();
    if (count === 0 && world.pods.every(({ status }) => status?.phase !== undefined)) return;
    if (round % 3 === 0) world.runPods();
  }
  throw new Error('does not settle');
}

function change(world: TestObjects, spec: Partial<Deployment['spec']>): void {
  const { deployment } = world;
  const generation = (deployment.metadata.generation ?? 0) + 1;
  world.put({ ...deployment, metadata: { ...deployment.metadata, generation }, spec: { ...deployment.spec, ...spec } });
}

const withImage = (image: string) => ({ template: aDeployment(0, image).spec.template });
const images = (world: TestObjects) => world.pods.map(({ spec }) => spec?.containers[0]?.image);
const conditionOf = (world: TestObjects, type: string) => world.deployment.status?.conditions?.find((condition) => condition.type === type);

function rolledOut(deployment: Deployment): TestObjects {
  const world = new TestObjects();
  world.put(deployment);
  settle(world);
  return world;
}

describe('reconcileDeployment', () => {
  it('rolls out: a ReplicaSet named by its template hash, its pods, and the status', () => {
    const world = rolledOut(aDeployment(3));
    expect(images(world)).toEqual(['a:1', 'a:1', 'a:1']);
    const [replicaSet] = world.replicaSets;
    const hash = replicaSet?.metadata.labels?.['pod-template-hash'];
    expect(replicaSet?.metadata.name).toBe(`web-${hash}`);
    expect(replicaSet?.spec.selector?.matchLabels).toEqual({ app: 'web', 'pod-template-hash': hash });
    expect(world.pods[0]?.metadata).toMatchObject({ labels: { app: 'web', 'pod-template-hash': hash }, namespace: 'ns' });
    expect(world.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
    expect(world.deployment.status).toMatchObject({
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
    const world = rolledOut(aDeployment(2));
    change(world, { replicas: 5 });
    settle(world);
    expect(world.pods).toHaveLength(5);
    change(world, { replicas: 0 });
    settle(world);
    expect(world.pods).toHaveLength(0);
    expect(world.deployment.status).toMatchObject({ replicas: 0, observedGeneration: 3 });
  });

  it('replaces pods within maxSurge and maxUnavailable', () => {
    const limit: fc.Arbitrary<IntOrPercent> = fc.oneof(fc.nat({ max: 3 }), fc.constantFrom('0%', '25%', '50%', '100%'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), limit, limit, (replicas, maxSurge, maxUnavailable) => {
        const amount = (value: IntOrPercent, round: (share: number) => number) =>
          typeof value === 'string' ? round((Number.parseInt(value, 10) * replicas) / 100) : value;
        const surge = amount(maxSurge, Math.ceil);
        const missing = surge + amount(maxUnavailable, Math.floor) === 0 ? 1 : amount(maxUnavailable, Math.floor);
        const world = rolledOut(
          aDeployment(replicas, 'a:1', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } }),
        );
        change(world, withImage('a:2'));
        settle(world, () => {
          const ready = world.pods.filter(({ status }) => status?.phase === 'Running').length;
          expect(world.pods.length).toBeLessThanOrEqual(replicas + surge);
          expect(ready).toBeGreaterThanOrEqual(replicas - missing);
        });
        expect(new Set(images(world))).toEqual(new Set(['a:2']));
        expect(world.deployment.status).toMatchObject({ replicas, updatedReplicas: replicas, availableReplicas: replicas });
      }),
      { numRuns: 40 },
    );
  });

  it('recreates: no new pod before the last old one is deleted', () => {
    const world = rolledOut(aDeployment(3, 'a:1', { strategy: { type: 'Recreate' } }));
    change(world, withImage('a:2'));
    settle(world, () => expect(new Set(images(world)).size).toBeLessThanOrEqual(1));
    expect(images(world)).toEqual(['a:2', 'a:2', 'a:2']);
  });

  it('rolls back to the old ReplicaSet, as the newest revision', () => {
    const world = rolledOut(aDeployment(1));
    const first = world.replicaSets[0]?.metadata.name;
    change(world, withImage('a:2'));
    settle(world);
    expect(world.deployment.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
    change(world, withImage('a:1'));
    settle(world);
    expect(world.replicaSets).toHaveLength(2);
    const active = world.replicaSets.find(({ spec }) => spec.replicas === 1);
    expect(active?.metadata.name).toBe(first);
    expect(active?.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('3');
  });

  it('keeps only revisionHistoryLimit old ReplicaSets', () => {
    const world = rolledOut(aDeployment(1, 'a:0', { revisionHistoryLimit: 2 }));
    for (const image of ['a:1', 'a:2', 'a:3', 'a:4']) {
      change(world, withImage(image));
      settle(world);
    }
    expect(world.replicaSets.map(({ spec }) => spec.template.spec.containers[0]?.image).sort()).toEqual(['a:2', 'a:3', 'a:4']);
  });

  it('scales but does not roll out while it is paused', () => {
    const world = rolledOut(aDeployment(1));
    change(world, { ...withImage('a:2'), paused: true, replicas: 2 });
    settle(world);
    expect(images(world)).toEqual(['a:1', 'a:1']);
    change(world, { paused: false });
    settle(world);
    expect(images(world)).toEqual(['a:2', 'a:2']);
  });

  it('reports a rollout without progress', () => {
    const world = new TestObjects();
    world.put(aDeployment(1, 'a:1', { progressDeadlineSeconds: 60 }));
    for (let round = 0; round < 5; round += 1) step(world);
    expect(conditionOf(world, 'Available')).toMatchObject({ status: 'False', reason: 'MinimumReplicasUnavailable' });
    expect(conditionOf(world, 'Progressing')).toMatchObject({ status: 'True' });
    const { againAt } = reconcileDeployment({ deployment: world.deployment, replicaSets: world.replicaSets, now: world.now });
    expect(againAt).toBe(world.now + 60_000);
    world.now += 60_000;
    step(world);
    expect(conditionOf(world, 'Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    world.runPods();
    settle(world);
    expect(conditionOf(world, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
  });

  it('waits for minReadySeconds', () => {
    const world = new TestObjects();
    world.put(aDeployment(1, 'a:1', { minReadySeconds: 10 }));
    for (let round = 0; round < 5; round += 1) {
      step(world);
      world.runPods();
    }
    expect(world.deployment.status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    const [replicaSet] = world.replicaSets;
    expect(replicaSet && reconcileReplicaSet({ replicaSet, pods: world.pods, now: world.now }).againAt).toBe(world.now + 10_000);
    world.now += 10_000;
    settle(world);
    expect(world.deployment.status).toMatchObject({ availableReplicas: 1 });
  });

  it('changes nothing while it is being deleted', () => {
    const world = rolledOut(aDeployment(1));
    const { deployment } = world;
    world.put({
      ...deployment,
      metadata: { ...deployment.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { ...deployment.spec, replicas: 5 },
    });
    settle(world);
    expect(world.pods).toHaveLength(1);
  });
});

it('deletes the pods of a ReplicaSet in order of deletion cost', () => {
  const world = rolledOut(aDeployment(3));
  const [first, second] = world.pods;
  if (!first || !second) throw new Error('no pods');
  world.put({ ...second, status: { phase: 'Pending' } });
  world.put({ ...first, metadata: { ...first.metadata, annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-1' } } });
  const replicaSet = world.replicaSets[0];
  if (!replicaSet) throw new Error('no ReplicaSet');
  const { writes } = reconcileReplicaSet({
    replicaSet: { ...replicaSet, spec: { ...replicaSet.spec, replicas: 1 } },
    pods: world.pods,
    now: world.now,
  });
  const deleted = writes.flatMap(({ verb, object }) => (verb === 'delete' ? [object.metadata?.name] : []));
  expect(deleted).toEqual([second.metadata?.name, first.metadata?.name]);
});
