import type { Node, Taint } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { scheduleOnce } from '../schedule/schedule-once.js';
import { reconcileDaemonSet } from './daemon-set.js';
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

function worldOf(nodes: Node[], daemonSet = aDaemonSet()): TestObjects {
  const world = new TestObjects();
  world.nodes = nodes;
  world.put(daemonSet);
  return world;
}

const reconcile = (world: TestObjects) =>
  reconcileDaemonSet({ daemonSet: world.daemonSet, nodes: world.nodes, pods: world.pods, now: world.now });

/** Reconciles, schedules and runs until nothing changes. */
function settle(world: TestObjects, check = () => {}): void {
  for (let round = 0; round < 50; round += 1) {
    const count = world.write(reconcile(world).writes);
    check();
    const { bindings } = scheduleOnce({ pods: world.pods, nodes: world.nodes, boundPods: world.pods });
    for (const { pod, nodeName } of bindings) world.put({ ...pod, spec: { containers: [], ...pod.spec, nodeName } });
    world.runPods();
    if (count + bindings.length === 0) return;
  }
  throw new Error('does not settle');
}

const places = (world: TestObjects) => world.pods.map(({ spec }) => spec?.nodeName).sort();

describe('reconcileDaemonSet', () => {
  it('runs one pod on each node, including cordoned ones, and reports that', () => {
    const world = worldOf([aNode('a'), aNode('b', { unschedulable: true })]);
    settle(world);
    expect(places(world)).toEqual(['a', 'b']);
    expect(world.daemonSet.status).toEqual({
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
    const world = worldOf([aNode('a', { labels }), aNode('b'), aNode('c', { labels, taints: noExecute })], aDaemonSet('a:1', labels));
    settle(world);
    expect(places(world)).toEqual(['a']);
    world.nodes = [aNode('a', { labels, taints: noExecute }), aNode('d', { labels })];
    settle(world);
    expect(places(world)).toEqual(['d']);
  });

  it('stays on a node with a NoSchedule taint, and counts the pod as misscheduled', () => {
    const world = worldOf([aNode('a')]);
    settle(world);
    world.nodes = [aNode('a', { taints: [{ key: 'k', effect: 'NoSchedule' }] })];
    settle(world);
    expect(places(world)).toEqual(['a']);
    expect(world.daemonSet.status).toMatchObject({ desiredNumberScheduled: 0, numberMisscheduled: 1 });
  });

  it('replaces pods of an older template one at a time', () => {
    const world = worldOf(['a', 'b', 'c'].map((name) => aNode(name)));
    settle(world);
    world.put({ ...aDaemonSet('a:2'), metadata: { ...world.daemonSet.metadata, generation: 2 }, status: world.daemonSet.status });
    settle(world, () => expect(world.pods.length).toBeGreaterThanOrEqual(2));
    expect(world.pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual(['a:2', 'a:2', 'a:2']);
    expect(world.daemonSet.status).toMatchObject({ updatedNumberScheduled: 3, numberAvailable: 3, observedGeneration: 2 });
  });

  it('does not delete old pods with the strategy OnDelete', () => {
    const world = worldOf([aNode('a')]);
    settle(world);
    const changed = aDaemonSet('a:2');
    world.put({ ...changed, spec: { ...changed.spec, updateStrategy: { type: 'OnDelete' } } });
    settle(world);
    expect(world.pods[0]?.spec?.containers[0]?.image).toBe('a:1');
  });

  it('replaces a terminated pod', () => {
    const world = worldOf([aNode('a')]);
    settle(world);
    const [pod] = world.pods;
    if (!pod) throw new Error('no pod');
    world.setPod(pod, 'Failed');
    settle(world);
    expect(world.pods).toHaveLength(1);
    expect(world.pods[0]?.metadata?.name).not.toBe(pod.metadata?.name);
  });
});
