import { describe, expect, it } from 'vitest';
import type { SimulatedAgentOptions, TestClusterOptions } from './options.js';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

async function withPods(names: readonly string[], options: TestClusterOptions = {}): Promise<TestCluster> {
  const cluster = await createTestCluster(options);
  for (const name of names) cluster.apply(podOf(name));
  await cluster.until(() => names.every((name) => cluster.pod(name)?.status?.phase === 'Running'));
  await cluster.advance('1m');
  return cluster;
}

const restarts = (cluster: TestCluster, name: string) => cluster.pod(name)?.status?.containerStatuses?.[0]?.restartCount;
const running = (cluster: TestCluster) =>
  cluster.nodes.flatMap(({ runtime }) => runtime.containers().filter(({ state }) => state === 'running')).map(({ pod }) => pod);

it('reports a node without what its agent reserves for the system', async () => {
  const cluster = await createTestCluster({ node: { agent: { node: { systemReserved: { cpu: '1' } } } } });
  expect(cluster.node('node-1').object()?.status).toMatchObject({ capacity: { cpu: '4' }, allocatable: { cpu: '3' } });
  await cluster.stop();
});

describe('a node whose agent crashes', () => {
  it('sends no requests, keeps its containers, and manages them again after its restart', async () => {
    const cluster = await withPods(['a', 'b']);
    const node = cluster.node('node-1');
    const before = node.runtime.containers().map(({ id }) => id);
    node.crash();
    expect(node.isUp).toBe(false);
    const count = cluster.trace.count;
    expect(cluster.clock.pending).toBeLessThan(10);
    await cluster.advance('10m');
    expect(cluster.trace.count).toBe(count);
    expect(running(cluster)).toEqual(['a', 'b']);

    cluster.server.objects.delete('pods', 'b');
    await node.restart();
    await cluster.until(() => cluster.pod('b') === undefined);
    await cluster.advance('2m');
    expect(node.runtime.containers().map(({ id }) => id)).toEqual(before.slice(0, 1));
    expect(restarts(cluster, 'a')).toBe(0);
    expect(await cluster.stop()).toBe(0);
  });

  it('at any step leaves no work in progress', async () => {
    const cluster = await createTestCluster();
    const node = cluster.node('node-1');
    node.runtime.fault({ method: 'pullImage', delayMs: 5_000, times: Infinity });
    cluster.apply(podOf('a'));
    await cluster.advance('2s');
    node.crash();
    await cluster.advance('1m');
    expect(node.runtime.containers()).toEqual([]);
    await node.restart();
    await cluster.until(() => cluster.pod('a')?.status?.phase === 'Running');
    expect(node.runtime.containers()).toHaveLength(1);
    expect(await cluster.stop()).toBe(0);
  });
});

it('reports no pressure to an agent that has crashed', async () => {
  let summaries = 0;
  const count = (options: SimulatedAgentOptions): SimulatedAgentOptions => {
    const stats: NonNullable<SimulatedAgentOptions['parts']>['stats'] = (...args) => {
      const counted = options.parts?.stats?.(...args);
      if (counted === undefined) throw new Error('the agent has no stats');
      return {
        ...counted,
        summary(request) {
          summaries++;
          return counted.summary(request);
        },
      };
    };
    return { ...options, parts: { ...options.parts, stats } };
  };
  const cluster = await withPods(['a'], { node: { wrap: count } });
  const node = cluster.node('node-1');
  const whilePressed = async () => {
    const before = summaries;
    node.pressure({ memory: '99%' });
    await cluster.clock.settle();
    return summaries - before;
  };
  node.crash();
  expect(await whilePressed()).toBe(0);
  await node.restart();
  await cluster.advance('1m');
  expect(await whilePressed()).toBe(1);
  await cluster.stop();
});

it('restarts the pods of a node after a power failure', async () => {
  const cluster = await withPods(['a']);
  const node = cluster.node('node-1');
  const boot = node.object()?.status?.nodeInfo?.bootID;
  node.crash('machine');
  await cluster.advance('5m');
  expect(running(cluster)).toEqual([]);
  await node.restart();
  await cluster.until(() => restarts(cluster, 'a') === 1 && cluster.pod('a')?.status?.phase === 'Running');
  await cluster.until(() => node.object()?.status?.nodeInfo?.bootID !== boot);
  expect(running(cluster)).toEqual(['a']);
  expect(await cluster.stop()).toBe(0);
});

it('keeps the containers when an agent is restarted or stopped', async () => {
  const cluster = await withPods(['a']);
  const node = cluster.node('node-1');
  const [first] = [node.agent];
  await node.restart();
  expect(node.agent).not.toBe(first);
  await cluster.advance('2m');
  expect(restarts(cluster, 'a')).toBe(0);
  await node.stop();
  await expect(node.stop()).rejects.toMatchObject({ code: 'WrongNodeState' });
  expect(running(cluster)).toEqual(['a']);
  expect(await cluster.stop()).toBe(0);
});

describe.each(['refused', 'silent'] as const)('a node that is cut off, connections %s', (kind) => {
  it('keeps its pods running and reports their status after the partition', async () => {
    const cluster = await withPods(['a', 'b'], { nodes: 2, node: { capacity: { pods: '1' } } });
    const cut = cluster.node(cluster.pod('a')?.spec?.nodeName ?? '');
    cut.partition(kind);
    expect(cut.isPartitioned).toBe(true);
    const [container] = cut.runtime.containers();
    cut.runtime.kill(container?.id ?? '');
    const before = cluster.trace.steps(new RegExp(`^${cut.name} api`)).length;
    await cluster.advance('20m');
    expect(cluster.trace.steps(new RegExp(`^${cut.name} api`)).length).toBe(before);
    expect(running(cluster).sort()).toEqual(['a', 'b']);
    expect(restarts(cluster, 'a')).toBe(0);
    expect(cut.agent.clusterError()).toBeDefined();
    cluster.server.objects.delete('pods', 'a');
    cut.heal();
    await cluster.until(() => cluster.pod('a') === undefined, '3m');
    await cluster.until(() => cut.agent.clusterError() === undefined, '3m');
    expect(await cluster.stop()).toBe(0);
  });
});

it('delivers the requests of a short silent partition', async () => {
  const cluster = await withPods(['a']);
  const node = cluster.node('node-1');
  node.partition('silent');
  cluster.server.objects.delete('pods', 'a');
  await cluster.advance('20s');
  expect(running(cluster)).toEqual(['a']);
  cluster.trace.clear();
  node.heal();
  await cluster.until(() => cluster.pod('a') === undefined, '1m');
  expect(cluster.trace.steps(/ api (list|watch) /)).toEqual([]);
  expect(await cluster.stop()).toBe(0);
});

it('reports pressure immediately also with long periods, and its end within 15 minutes', async () => {
  const cluster = await createTestCluster({ periods: 'long' });
  const node = cluster.node('node-1');
  await cluster.advance('1h');
  node.pressure({ memory: '99%' });
  await cluster.advance('15s');
  expect(node.condition('MemoryPressure')).toBe('True');
  node.pressure({ memory: '0' });
  await cluster.advance('16m');
  expect(node.condition('MemoryPressure')).toBe('False');
  expect(await cluster.stop()).toBe(0);
});

it('evicts the pod with the highest usage under pressure, reports it, and admits pods again afterwards', async () => {
  const cluster = await createTestCluster();
  const node = cluster.node('node-1');
  cluster.script({ pod: 'hog' }, { usage: (runningMs) => ({ memoryBytes: runningMs * 1e4 }) });
  for (const name of ['small', 'hog']) cluster.apply(podOf(name));
  await cluster.advance('1m');
  expect(node.condition('MemoryPressure')).toBe('False');
  node.pressure({ memory: '7300Mi' });
  await cluster.until(() => cluster.pod('hog')?.status?.reason === 'Evicted');
  await cluster.until(() => node.condition('MemoryPressure') === 'True');
  expect(cluster.pod('small')?.status?.phase).toBe('Running');
  node.pressure({ memory: '0' });
  await cluster.until(() => node.condition('MemoryPressure') === 'False');
  expect(() => node.pressure({ memory: 'lots' })).toThrow(expect.objectContaining({ code: 'InvalidQuantity', details: { text: 'lots' } }));
  expect(await cluster.stop()).toBe(0);
});
