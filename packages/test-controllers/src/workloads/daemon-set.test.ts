import type { Node, Taint } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { scheduleOnce } from '../scheduler/schedule-once.js';
import { concernsNode, type NodeFailures, reconcileDaemonSet } from './daemon-set.js';
import type { DaemonSet } from './objects.js';
import { TestObjects } from './test-objects.js';

const aNode = (name: string, more: { labels?: Record<string, string>; taints?: Taint[]; unschedulable?: boolean } = {}): Node => ({
  metadata: { name, labels: { ...more.labels } },
  spec: { ...(more.taints && { taints: more.taints }), ...(more.unschedulable && { unschedulable: true }) },
  status: { allocatable: { pods: '10' }, conditions: [{ type: 'Ready', status: 'True' }] },
});

const aDaemonSet = (image = 'a:1', nodeSelector?: Record<string, string>): DaemonSet => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'ns', uid: 'd', generation: 1 },
  spec: {
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: { containers: [{ name: 'a', image }], ...(nodeSelector && { nodeSelector }) },
    },
  },
});

function testObjects(nodes: Node[], daemonSet = aDaemonSet()): TestObjects {
  const objects = new TestObjects();
  objects.nodes = nodes;
  objects.put(daemonSet);
  return objects;
}

const reconcile = (objects: TestObjects) =>
  reconcileDaemonSet({ daemonSet: objects.daemonSet, nodes: objects.nodes, pods: objects.pods, now: objects.now });

/** Reconciles, schedules and runs until nothing changes. */
function settle(objects: TestObjects, check = () => {}, step = reconcile): void {
  for (let round = 0; round < 50; round += 1) {
    const count = objects.write(step(objects).writes);
    check();
    const { bindings } = scheduleOnce({ pods: objects.pods, nodes: objects.nodes, boundPods: objects.pods });
    for (const { pod, nodeName } of bindings) objects.put({ ...pod, spec: { containers: [], ...pod.spec, nodeName } });
    objects.runPods();
    if (count + bindings.length === 0) return;
  }
  throw new Error('does not settle');
}

const places = (objects: TestObjects) => objects.pods.map(({ spec }) => spec?.nodeName).sort();

describe('reconcileDaemonSet', () => {
  it('runs one pod on each node, including cordoned ones, and reports that', () => {
    const objects = testObjects([aNode('a'), aNode('b', { unschedulable: true })]);
    settle(objects);
    expect(places(objects)).toEqual(['a', 'b']);
    expect(objects.daemonSet.status).toEqual({
      currentNumberScheduled: 2,
      desiredNumberScheduled: 2,
      numberMisscheduled: 0,
      numberReady: 2,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
      numberUnavailable: 0,
      observedGeneration: 1,
    });
  });

  it('runs only on nodes that fit its template, and deletes pods on other nodes', () => {
    const noExecute = [{ key: 'k', effect: 'NoExecute' }];
    const labels = { disk: 'ssd' };
    const objects = testObjects([aNode('a', { labels }), aNode('b'), aNode('c', { labels, taints: noExecute })], aDaemonSet('a:1', labels));
    settle(objects);
    expect(places(objects)).toEqual(['a']);
    objects.nodes = [aNode('a', { labels, taints: noExecute }), aNode('d', { labels })];
    settle(objects);
    expect(places(objects)).toEqual(['d']);
  });

  it('stays on a node with a NoSchedule taint, and counts the pod as misscheduled', () => {
    const objects = testObjects([aNode('a')]);
    settle(objects);
    objects.nodes = [aNode('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })];
    settle(objects);
    expect(places(objects)).toEqual(['a']);
    expect(objects.daemonSet.status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 1 });
  });

  it('replaces pods of an older template one at a time', () => {
    const objects = testObjects(['a', 'b', 'c'].map((name) => aNode(name)));
    settle(objects);
    objects.put({ ...aDaemonSet('a:2'), metadata: { ...objects.daemonSet.metadata, generation: 2 }, status: objects.daemonSet.status });
    settle(objects, () => expect(objects.pods.length).toBeGreaterThanOrEqual(2));
    expect(objects.pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['a:2', 'a:2', 'a:2']);
    expect(objects.daemonSet.status).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3, observedGeneration: 2 });
  });

  it('does not delete old pods with the strategy OnDelete', () => {
    const objects = testObjects([aNode('a')]);
    settle(objects);
    const changed = aDaemonSet('a:2');
    objects.put({ ...changed, spec: { ...changed.spec, updateStrategy: { type: 'OnDelete' } } });
    settle(objects);
    expect(objects.pods[0]?.spec?.containers[0]?.image).toBe('a:1');
  });

  it('replaces a terminated pod', () => {
    const objects = testObjects([aNode('a')]);
    settle(objects);
    const [pod] = objects.pods;
    if (!pod) throw new Error('no pod');
    objects.setPod(pod, 'Failed');
    settle(objects);
    expect(objects.pods).toHaveLength(1);
    expect(objects.pods[0]?.metadata?.name).not.toBe(pod.metadata?.name);
  });

  it('waits for the end of a terminating pod', () => {
    const objects = testObjects([aNode('a')]);
    settle(objects);
    const [pod] = objects.pods;
    if (pod) objects.put({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:30Z' } });
    settle(objects);
    expect(objects.pods).toHaveLength(1);
  });

  it('reports events about terminated pods', () => {
    const objects = testObjects([aNode('a')]);
    settle(objects);
    const [pod] = objects.pods;
    if (pod) objects.setPod(pod, 'Failed');
    const message = `Found failed daemon pod ns/${pod?.metadata?.name} on node a, will try to kill it`;
    expect(reconcile(objects).events).toEqual([{ type: 'Warning', reason: 'FailedDaemonPod', message }]);
  });
});

describe('revisions', () => {
  const step = ({ daemonSet, nodes, pods, revisions, now }: TestObjects) => reconcileDaemonSet({ daemonSet, nodes, pods, revisions, now });
  const withRevisions = (objects: TestObjects) => settle(objects, () => {}, step);
  const update = (objects: TestObjects, image: string) => {
    const { metadata, status } = objects.daemonSet;
    objects.put({ ...aDaemonSet(image), metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 }, status });
  };

  it('keeps a revision of each template, and restarts no pod for a rollback that does not need it', () => {
    const objects = testObjects(['a', 'b'].map((name) => aNode(name)));
    withRevisions(objects);
    const [first] = objects.revisions;
    const hash = first?.metadata.labels?.['controller-revision-hash'];
    expect(first?.metadata.name).toBe(`agent-${hash}`);
    expect(first?.data.spec.template).toMatchObject({ $patch: 'replace', metadata: { labels: { app: 'agent' } } });
    expect(objects.pods.map(({ metadata }) => metadata?.labels?.['controller-revision-hash'])).toEqual([hash, hash]);
    update(objects, 'a:404');
    objects.write(step(objects).writes);
    const [kept, ...others] = objects.pods;
    expect(others).toEqual([]);
    update(objects, 'a:1');
    withRevisions(objects);
    expect(objects.revisions.map(({ revision }) => revision)).toEqual([3, 2]);
    expect(objects.pods.map(({ metadata }) => metadata?.name)).toContain(kept?.metadata?.name);
    expect(objects.pods.map(({ metadata }) => metadata?.labels?.['controller-revision-hash'])).toEqual([hash, hash]);
  });
});

describe('a rolling update with a surge', () => {
  const surging = (image: string): DaemonSet => {
    const daemonSet = aDaemonSet(image);
    return { ...daemonSet, spec: { ...daemonSet.spec, updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } } };
  };

  it('starts a pod beside the old one, and removes that when the new one is available', () => {
    const objects = testObjects(
      ['a', 'b', 'c'].map((name) => aNode(name)),
      surging('a:1'),
    );
    settle(objects);
    objects.put({ ...surging('a:2'), metadata: { ...objects.daemonSet.metadata, generation: 2 }, status: objects.daemonSet.status });
    settle(objects, () => {
      const ready = objects.pods.filter(({ status }) => status?.phase === 'Running');
      expect(ready.length).toBeGreaterThanOrEqual(3);
      expect(objects.pods.length).toBeLessThanOrEqual(4);
    });
    expect(objects.pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['a:2', 'a:2', 'a:2']);
    expect(places(objects)).toEqual(['a', 'b', 'c']);
  });
});

it('replaces a failed pod at once, the next after a second, and doubles the delay up to 15 minutes', () => {
  const objects = testObjects([aNode('a')]);
  settle(objects);
  let failures: NodeFailures = new Map();
  const replacedAfter = () => {
    const [pod] = objects.pods;
    if (pod) objects.setPod(pod, 'Failed');
    const failedAt = objects.now;
    for (;;) {
      const plan = reconcileDaemonSet({
        daemonSet: objects.daemonSet,
        nodes: objects.nodes,
        pods: objects.pods,
        failures,
        now: objects.now,
      });
      failures = plan.failures;
      objects.write(plan.writes);
      if (plan.events) break;
      objects.now = plan.againAt ?? Number.NaN;
    }
    settle(objects);
    return (objects.now - failedAt) / 1_000;
  };
  expect(Array.from({ length: 13 }, replacedAfter)).toEqual([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  objects.now += 1_801_000;
  expect([replacedAfter(), replacedAfter()]).toEqual([0, 1]);
});

it('leaves the pods of a deleted node to others', () => {
  const objects = testObjects([aNode('a'), aNode('b')]);
  settle(objects);
  objects.nodes = [aNode('a')];
  settle(objects);
  expect(places(objects)).toEqual(['a', 'b']);
});

it.each([
  ['a new node', aNode('a'), false, true],
  ['a node that it does not fit', aNode('a', { taints: [{ key: 'x', effect: 'NoSchedule' }] }), false, false],
  ['a node with its pod', aNode('a'), true, false],
  ['a node whose taint keeps new pods away', aNode('a', { taints: [{ key: 'x', effect: 'NoSchedule' }] }), true, false],
  ['a node whose taint evicts its pod', aNode('a', { taints: [{ key: 'x', effect: 'NoExecute' }] }), true, true],
])('reacts to the change of %s: %#', (_, node, hasPod, isConcerned) => {
  expect(concernsNode(aDaemonSet(), node, hasPod)).toBe(isConcerned);
});
