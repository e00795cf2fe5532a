import type { Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { StatefulSet } from './objects.js';
import { reconcileStatefulSet } from './stateful-set.js';
import { TestObjects } from './test-objects.js';

type Spec = Partial<StatefulSet['spec']>;

const aStatefulSet = (spec: Spec = {}, image = 'db:1'): StatefulSet => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db', namespace: 'ns', uid: 's', generation: 1 },
  spec: {
    replicas: 3,
    serviceName: 'dbs',
    selector: { matchLabels: { app: 'db' } },
    template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'db', image }] } },
    ...spec,
  },
});

function testObjects(spec?: Spec): TestObjects {
  const objects = new TestObjects();
  objects.put(aStatefulSet(spec));
  return objects;
}

/** One reconcile: the verbs and names of its writes, without those of the status. */
function step(objects: TestObjects): string[] {
  const { statefulSet, pods, revisions, claimObjects: claims, now } = objects;
  const { writes } = reconcileStatefulSet({ statefulSet, pods, revisions, claims, now });
  objects.write(writes);
  return writes.filter(({ verb }) => verb !== 'updateStatus').map(({ verb, object }) => `${verb} ${object.kind} ${object.metadata?.name}`);
}

/** Reconciles and runs the pods until nothing changes; the writes of pods. */
function settle(objects: TestObjects): string[] {
  const all: string[] = [];
  for (let round = 0; round < 50; round++) {
    const writes = step(objects);
    all.push(...writes.filter((write) => write.includes(' Pod ')).map((write) => write.replace(' Pod', '')));
    if (writes.length === 0) return all;
    objects.runPods();
  }
  throw new Error('does not settle');
}

function update(objects: TestObjects, spec: Spec, image?: string): void {
  const { metadata, status } = objects.statefulSet;
  const changed = aStatefulSet(spec, image);
  objects.put({ ...changed, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 }, ...(status && { status }) });
}

const images = ({ pods }: TestObjects) => pods.map(({ metadata, spec }) => `${metadata?.name} ${spec?.containers[0]?.image}`).sort();

it('creates its pods one after another, each when the previous ones are ready', () => {
  const objects = testObjects();
  expect(step(objects)).toEqual([expect.stringMatching(/^create ControllerRevision db-/), 'create Pod db-0']);
  expect(step(objects)).toEqual([]);
  objects.runPods();
  expect(step(objects)).toEqual(['create Pod db-1']);
  objects.runPods();
  expect(step(objects)).toEqual(['create Pod db-2']);
  objects.runPods();
  expect(settle(objects)).toEqual([]);
  expect(objects.pods[1]).toMatchObject({
    metadata: { labels: { app: 'db', 'statefulset.kubernetes.io/pod-name': 'db-1', 'apps.kubernetes.io/pod-index': '1' } },
    spec: { hostname: 'db-1', subdomain: 'dbs' },
  });
  const revision = objects.revisions[0]?.metadata.name;
  expect(objects.statefulSet.status).toEqual({
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
    observedGeneration: 1,
  });
});

it('creates all pods at once with the policy Parallel', () => {
  const objects = testObjects({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } });
  expect(step(objects).slice(1)).toEqual(['create Pod db-5', 'create Pod db-6', 'create Pod db-7']);
});

it('removes the highest ordinals first, and keeps their claims', () => {
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
  const objects = testObjects({ volumeClaimTemplates });
  settle(objects);
  update(objects, { volumeClaimTemplates, replicas: 1 });
  expect(settle(objects)).toEqual(['delete db-2', 'delete db-1']);
  expect([...objects.claims]).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
  update(objects, { volumeClaimTemplates, replicas: 2 });
  expect(settle(objects)).toEqual(['create db-1']);
  expect(objects.pods.at(-1)?.spec?.volumes).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-1' } }]);
});

it('updates pods from the highest ordinal, one at a time', () => {
  const objects = testObjects();
  settle(objects);
  update(objects, {}, 'db:2');
  expect(settle(objects)).toEqual(['delete db-2', 'create db-2', 'delete db-1', 'create db-1', 'delete db-0', 'create db-0']);
  expect(images(objects)).toEqual(['db-0 db:2', 'db-1 db:2', 'db-2 db:2']);
  const { currentRevision, updateRevision } = objects.statefulSet.status ?? {};
  expect(currentRevision).toBe(updateRevision);
  expect(objects.revisions.map(({ revision }) => revision)).toEqual([1, 2]);
});

it('no longer counts a pod as current once the update deletes it', () => {
  const objects = testObjects();
  settle(objects);
  update(objects, {}, 'db:2');
  step(objects);
  expect(objects.statefulSet.status).toMatchObject({ replicas: 3, readyReplicas: 3, currentReplicas: 2, updatedReplicas: 0 });
});

it('does not update pods below the partition, and creates them again from the previous template', () => {
  const objects = testObjects();
  settle(objects);
  update(objects, { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } }, 'db:2');
  expect(settle(objects)).toEqual(['delete db-2', 'create db-2']);
  const [first] = objects.pods;
  if (first) objects.write([{ verb: 'delete', object: first }]);
  expect(settle(objects)).toEqual(['create db-0']);
  expect(images(objects)).toEqual(['db-0 db:1', 'db-1 db:1', 'db-2 db:2']);
  expect(objects.statefulSet.status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
});

it('does not update pods with the strategy OnDelete, except those that are deleted', () => {
  const objects = testObjects();
  settle(objects);
  update(objects, { updateStrategy: { type: 'OnDelete' } }, 'db:2');
  expect(settle(objects)).toEqual([]);
  const [first] = objects.pods;
  if (first) objects.write([{ verb: 'delete', object: first }]);
  settle(objects);
  expect(images(objects)).toEqual(['db-0 db:2', 'db-1 db:1', 'db-2 db:1']);
});

it('replaces a failed pod', () => {
  const objects = testObjects();
  settle(objects);
  objects.now += 60_000;
  const [first] = objects.pods;
  if (first) objects.setPod(first, 'Failed');
  expect(settle(objects)).toEqual(['delete db-0', 'create db-0']);
});

it('only reports its status while it is being deleted', () => {
  const objects = testObjects();
  objects.put({ ...aStatefulSet(), metadata: { ...aStatefulSet().metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  expect(step(objects)).toEqual([]);
  expect(objects.statefulSet.status?.replicas).toBe(0);
});

it('gives an earlier template its revision back, with a higher number', () => {
  const objects = testObjects();
  settle(objects);
  update(objects, {}, 'db:2');
  settle(objects);
  const [first, second] = objects.revisions.map(({ metadata }) => metadata.name);
  update(objects, {}, 'db:1');
  expect(step(objects)).toEqual([`update ControllerRevision ${first}`, 'delete Pod db-2']);
  settle(objects);
  expect(objects.revisions.map(({ metadata, revision }) => [metadata.name, revision])).toEqual([
    [first, 3],
    [second, 2],
  ]);
  expect(objects.statefulSet.status).toMatchObject({ currentRevision: first, updateRevision: first, currentReplicas: 3 });
});

it('counts a collision of the names of revisions', () => {
  const objects = testObjects();
  step(objects);
  const [revision] = objects.revisions;
  if (revision) objects.put({ ...revision, metadata: { ...revision.metadata, ownerReferences: [] } });
  const [created] = step(objects);
  expect(created).toMatch(/^create ControllerRevision db-/);
  expect(created).not.toContain(revision?.metadata.name);
  expect(objects.statefulSet.status?.collisionCount).toBe(1);
});

it('updates as many pods at a time as may be unavailable', () => {
  const objects = testObjects({ replicas: 5 });
  settle(objects);
  update(objects, { replicas: 5, updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }, 'db:2');
  expect(settle(objects)).toEqual([
    ...['delete db-4', 'delete db-3', 'create db-3', 'create db-4'],
    ...['delete db-2', 'delete db-1', 'create db-1', 'create db-2'],
    ...['delete db-0', 'create db-0'],
  ]);
});

it('removes an unhealthy pod only if none with a lower ordinal is unhealthy', () => {
  const objects = testObjects();
  settle(objects);
  for (const pod of objects.pods.slice(1)) objects.setPod(pod, 'Pending');
  update(objects, { replicas: 1 });
  expect(step(objects)).toEqual([]);
  const [, second] = objects.pods;
  if (second) objects.setPod(second, 'Running');
  expect(step(objects)).toEqual(['delete Pod db-2']);
});

describe('persistentVolumeClaimRetentionPolicy', () => {
  const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'] } }];
  const owners = (objects: TestObjects) =>
    objects.claimObjects.map(({ metadata }) => metadata?.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`).join());

  it('makes the set the owner of claims that are deleted with it', () => {
    const objects = testObjects({ volumeClaimTemplates, replicas: 1, persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
    settle(objects);
    expect(owners(objects)).toEqual(['StatefulSet db']);
    update(objects, { volumeClaimTemplates, replicas: 1 });
    settle(objects);
    expect(owners(objects)).toEqual([undefined]);
  });

  it('makes pods that are scaled down the owners of their claims, and waits for the deletion of those', () => {
    const spec = { volumeClaimTemplates, persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } };
    const objects = testObjects({ ...spec, replicas: 2 });
    settle(objects);
    expect(owners(objects)).toEqual([undefined, undefined]);
    update(objects, { ...spec, replicas: 1 });
    expect(step(objects)).toEqual(['update PersistentVolumeClaim data-db-1', 'delete Pod db-1']);
    expect(owners(objects)).toEqual([undefined, 'Pod db-1']);
    update(objects, { ...spec, replicas: 2 });
    expect(step(objects)).toEqual([]);
    const [, claim] = objects.claimObjects;
    objects.write([{ verb: 'delete', object: claim as never }]);
    expect(step(objects)).toEqual(['create PersistentVolumeClaim data-db-1', 'create Pod db-1']);
  });
});

it('labels an adopted pod', () => {
  const objects = testObjects({ replicas: 1 });
  settle(objects);
  const [pod] = objects.pods;
  expect(pod?.metadata?.generateName).toBe('db-');
  const { 'apps.kubernetes.io/pod-index': _, ...labels } = pod?.metadata?.labels ?? {};
  objects.put({ ...pod, metadata: { ...pod?.metadata, labels } } as Pod);
  expect(step(objects)).toEqual(['update Pod db-0']);
  expect(objects.pods[0]?.metadata?.labels).toHaveProperty(['apps.kubernetes.io/pod-index'], '0');
});
