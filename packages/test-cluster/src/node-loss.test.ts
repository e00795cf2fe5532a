import type { KubeObject, Node, Pod } from '@nodeagent/api';
import { type PodMatchers, podMatchers } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it.
  interface Matchers<T = any> extends PodMatchers<T> {}
}
expect.extend(podMatchers);

const deployment = (name: string, replicas: number) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
  }) as KubeObject;

const conditionOf = (object: Node | Pod | undefined, type: string) =>
  (object?.status?.conditions as { type: string; status: string; reason?: string }[] | undefined)?.find((each) => each.type === type);
const taints = (cluster: TestCluster, node: string) =>
  (cluster.node(node).object()?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
const events = (cluster: TestCluster, reason: string) =>
  cluster.server.objects
    .list<KubeObject & { message?: string }>('events')
    .filter((each) => (each as { reason?: string }).reason === reason);

/** Two nodes with two pods each, of which the first is lost. */
async function lose(how: 'crash' | 'partition'): Promise<TestCluster> {
  const cluster = await createTestCluster({ nodes: 2 });
  cluster.apply(deployment('web', 4));
  await cluster.until(() => cluster.pods().filter((pod) => conditionOf(pod, 'Ready')?.status === 'True').length === 4);
  await cluster.advance('1m');
  expect(taints(cluster, 'node-1')).toEqual([]);
  if (how === 'crash') cluster.node('node-1').crash('machine');
  else cluster.node('node-1').partition('silent');
  return cluster;
}

const podsOn = (cluster: TestCluster, nodeName: string) => cluster.pods({ fieldSelector: `spec.nodeName=${nodeName}` });

describe.each(['crash', 'partition'] as const)('a node that is lost by a %s', (how) => {
  it('becomes Unknown after its grace period, is tainted, and its pods are not ready', async () => {
    const cluster = await lose(how);
    await cluster.advance('40s');
    expect(cluster.node('node-1').condition('Ready')).toBe('True');
    await cluster.until(() => cluster.node('node-1').condition('Ready') === 'Unknown', '15s');
    const node = cluster.node('node-1').object();
    for (const type of ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']) {
      expect(conditionOf(node, type)).toMatchObject({
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        message: 'Kubelet stopped posting node status.',
      });
    }
    expect(taints(cluster, 'node-1')).toEqual(['node.kubernetes.io/unreachable:NoSchedule']);
    expect(podsOn(cluster, 'node-1').map((pod) => [pod.status?.phase, conditionOf(pod, 'Ready')?.status])).toEqual([
      ['Running', 'False'],
      ['Running', 'False'],
    ]);
    expect(events(cluster, 'NodeNotReady')).toHaveLength(3);
    await cluster.advance('100ms');
    expect(taints(cluster, 'node-1')).toContain('node.kubernetes.io/unreachable:NoExecute');
    expect(taints(cluster, 'node-2')).toEqual([]);
    expect(await cluster.stop()).toBe(0);
  });

  it('loses its pods after their tolerations, and they run elsewhere', async () => {
    const cluster = await lose(how);
    await cluster.advance('5m');
    expect(podsOn(cluster, 'node-1').some(({ metadata }) => metadata?.deletionTimestamp)).toBe(false);
    await cluster.advance('2m');
    const evicted = podsOn(cluster, 'node-1');
    expect(evicted.map((pod) => conditionOf(pod, 'DisruptionTarget')?.reason)).toEqual([
      'DeletionByTaintManager',
      'DeletionByTaintManager',
    ]);
    expect(evicted.every(({ metadata }) => metadata?.deletionTimestamp)).toBe(true);
    expect(podsOn(cluster, 'node-2').filter((pod) => conditionOf(pod, 'Ready')?.status === 'True')).toHaveLength(4);
    if (how === 'crash') await cluster.node('node-1').restart();
    else cluster.node('node-1').heal();
    await cluster.advance('3m');
    expect(podsOn(cluster, 'node-1')).toEqual([]);
    expect(cluster.node('node-1').condition('Ready')).toBe('True');
    expect(taints(cluster, 'node-1')).toEqual([]);
    expect(await cluster.stop()).toBe(0);
  });

  it('gets its ready pods back when it returns before they are evicted', async () => {
    const cluster = await lose(how);
    await cluster.advance('3m');
    if (how === 'crash') await cluster.node('node-1').restart();
    else cluster.node('node-1').heal();
    await cluster.advance('3m');
    expect(taints(cluster, 'node-1')).toEqual([]);
    for (const pod of podsOn(cluster, 'node-1')) expect(pod).toBeReady();
    expect(podsOn(cluster, 'node-1')).toHaveLength(2);
    expect(events(cluster, 'TaintManagerEviction').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Cancelling deletion of Pod default\/web-/),
      expect.stringMatching(/^Cancelling deletion of Pod default\/web-/),
    ]);
    expect(await cluster.stop()).toBe(0);
  });

  it('leaves no pods behind when it is deleted', async () => {
    const cluster = await lose(how);
    await cluster.advance('2m');
    cluster.server.objects.delete('nodes', 'node-1');
    const last: Pod[] = [];
    await cluster.advance('30s');
    last.push(...podsOn(cluster, 'node-1'));
    expect(last).toHaveLength(2);
    await cluster.advance('1m');
    expect(podsOn(cluster, 'node-1')).toEqual([]);
    await cluster.advance('1m');
    expect(cluster.pods().filter((pod) => conditionOf(pod, 'Ready')?.status === 'True')).toHaveLength(4);
    expect(await cluster.stop()).toBe(0);
  });
});

it('evicts no pods while all nodes are lost', async () => {
  const cluster = await createTestCluster();
  cluster.apply(podOf('web'));
  await cluster.advance('1m');
  cluster.node('node-1').crash();
  await cluster.advance('20m');
  expect(taints(cluster, 'node-1')).toEqual(['node.kubernetes.io/unreachable:NoSchedule']);
  expect(cluster.pod('web')?.metadata?.deletionTimestamp).toBeUndefined();
  expect(await cluster.stop()).toBe(0);
});

it('evicts a pod at once that tolerates the loss of its node for no time', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  const tolerations = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }];
  cluster.apply(podOf('web', {}, { tolerations }));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  cluster.node(cluster.pod('web')?.spec?.nodeName ?? '').crash();
  await cluster.until(() => cluster.pod('web')?.metadata?.deletionTimestamp !== undefined, '65s');
  expect(await cluster.stop()).toBe(0);
});

it('keeps the agents of a cluster with long periods alive, and detects a lost one within an hour', async () => {
  const cluster = await createTestCluster({ nodes: 2, periods: 'long' });
  await cluster.advance('3h');
  expect(cluster.nodes.map((node) => node.condition('Ready'))).toEqual(['True', 'True']);
  cluster.node('node-1').crash();
  await cluster.advance('1h');
  expect(cluster.nodes.map((node) => node.condition('Ready'))).toEqual(['Unknown', 'True']);
  expect(await cluster.stop()).toBe(0);
});
