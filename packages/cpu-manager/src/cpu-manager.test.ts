import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MetricDefinition, type Metrics, noMetrics, type Pod, type PodStatus, type TopologyHint } from '@nodeagent/api';
import { createTextFile } from '@nodeagent/api/files';
import type { CpuSet } from '@nodeagent/api/helpers';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCpuManager } from './cpu-manager.js';
import type { CpuManagerOptions } from './options.js';
import { testContainer, testPod, testTopology } from './test-topology.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cpu-manager-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const anywhere: TopologyHint = { numaNodes: null, preferred: false };
const exclusive = (name: string) => testPod(name, [testContainer('c', '2')]);

function recordingMetrics() {
  const values: Record<string, number> = {};
  const keyOf = (name: string, labels = {}) => [name.replace('kubelet_', ''), ...Object.values(labels)].join(' ');
  const metrics: Metrics = {
    ...noMetrics,
    counter: ({ name }: MetricDefinition) => ({
      inc(labels) {
        values[keyOf(name, labels)] = (values[keyOf(name, labels)] ?? 0) + 1;
      },
    }),
    gauge: ({ name }: MetricDefinition) => ({
      set(value, labels) {
        values[keyOf(name, labels)] = value;
      },
    }),
  };
  return { values, metrics };
}

/** A node of two sockets with four cores each, of which CPU 0 is reserved. */
function testNode(options: Partial<CpuManagerOptions> = {}) {
  const node = {
    pods: [] as Pod[],
    statuses: new Map<string, PodStatus>(),
    updates: [] as string[],
    updateFails: false,
    clock: createVirtualClock({ settleIO: () => new Promise((resolve) => setTimeout(resolve, 5)) }),
    logger: createRecordingLogger(),
    stateFile: join(folder, 'cpu_manager_state'),
    ...recordingMetrics(),
  };
  const { clock, logger, stateFile, metrics } = node;
  const create = (more: Partial<CpuManagerOptions> = {}) =>
    createCpuManager({
      policy: 'static',
      topology: testTopology(2, 4),
      nodeAllocatableReservation: { cpu: '500m' },
      stateFile,
      store: createTextFile(stateFile),
      activePods: () => node.pods,
      podStatus: (uid) => node.statuses.get(uid),
      async updateContainerCpuset(id: string, cpus: CpuSet) {
        if (node.updateFails) throw new Error('the runtime is down');
        node.updates.push(`${id} ${cpus}`);
      },
      clock,
      logger,
      metrics,
      ...options,
      ...more,
    });
  const runs = (pod: Pod, state: object = { running: {} }) => {
    const containerStatuses = (pod.spec?.containers ?? []).map(({ name }) => {
      const id = `${pod.metadata?.name}-${name}`;
      return { name, ready: true, restartCount: 0, image: 'i', imageID: 'i', containerID: `containerd://${id}`, state };
    });
    node.statuses.set(pod.metadata?.uid ?? '', { containerStatuses });
  };
  const state = () => JSON.parse(readFileSync(stateFile, 'utf8'));
  return Object.assign(node, { create, manager: create(), runs, state });
}

async function allocate(node: ReturnType<typeof testNode>, pod: Pod, manager = node.manager, hint = anywhere) {
  for (const container of pod.spec?.containers ?? []) await manager.allocate(pod, container, hint);
  node.pods.push(pod);
}

describe('assignment', () => {
  it('gives a container whole cores, keeps them over a restart of the agent, and stores them', async () => {
    const node = testNode();
    await node.manager.start();
    expect(node.state()).toMatchObject({ policyName: 'static', defaultCpuSet: '0-15' });
    await allocate(node, exclusive('a'));
    expect(node.manager.getExclusiveCpus('a', 'c').toString()).toBe('1,9');
    expect(node.manager.getCpuAffinity('a', 'c').toString()).toBe('1,9');
    expect(node.manager.getCpuAffinity('b', 'c').toString()).toBe('0,2-8,10-15');
    expect(node.manager.getAllocatableCpus().toString()).toBe('1-15');
    expect(node.state()).toMatchObject({ defaultCpuSet: '0,2-8,10-15', entries: { a: { c: '1,9' } } });
    await node.manager.stop();

    const restarted = node.create();
    await restarted.start();
    expect(restarted.getExclusiveCpus('a', 'c').toString()).toBe('1,9');
    await allocate(node, exclusive('a'), restarted);
    expect(restarted.getExclusiveCpus('a', 'c').toString()).toBe('1,9');
    await restarted.stop();
  });

  it('holds no CPU for an init container that has ended beside those of the containers after it', async () => {
    const node = testNode();
    await node.manager.start();
    // The init container gets the CPU that shares a core with the reserved one, the container a whole core.
    const pod = testPod('p', [testContainer('main', '2'), testContainer('shared', '500m')], [testContainer('init', '1')]);
    const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
    for (const container of containers) await node.manager.allocate(pod, container, anywhere);
    node.pods.push(pod);
    const expected = { defaultCpuSet: '0,2-8,10-15', entries: { p: { init: '1', main: '1,9' } } };
    expect(node.state()).toMatchObject(expected);
    expect(node.manager.plan(testPod('q', [testContainer('main', '2')], [testContainer('init', '1')])).containers).toEqual([
      { containerName: 'init', cpus: '2' },
      { containerName: 'main', cpus: '2,10' },
    ]);

    await node.manager.stop();
    const restarted = node.create();
    await restarted.start();
    for (const container of containers) await restarted.allocate(pod, container, anywhere);
    await restarted.stop();
    expect(node.state()).toMatchObject(expected);
  });

  it('takes CPUs of the hinted NUMA node', async () => {
    const node = testNode();
    await node.manager.start();
    await allocate(node, exclusive('a'), node.manager, { numaNodes: [1], preferred: true });
    expect(node.manager.getExclusiveCpus('a', 'c').toString()).toBe('4,12');
    await node.manager.stop();
  });

  it('takes back the CPUs of removed pods, once all sources have reported', async () => {
    let isReady = false;
    const node = testNode({ sourcesReady: () => isReady });
    await node.manager.start();
    await allocate(node, exclusive('a'));
    await allocate(node, exclusive('b'));
    node.pods = node.pods.filter(({ metadata }) => metadata?.name === 'b');
    await allocate(node, exclusive('c'));
    expect(node.manager.getExclusiveCpus('a', 'c').size).toBe(2);
    isReady = true;
    const hints = node.manager.getTopologyHints(exclusive('d'), testContainer('c', '7'));
    expect(node.manager.getExclusiveCpus('a', 'c').size).toBe(0);
    expect(node.manager.getExclusiveCpus('b', 'c').size).toBe(2);
    expect(hints.cpu?.length).toBeGreaterThan(0);
    await node.manager.stop();
    expect(node.state().entries).not.toHaveProperty('a');
  });

  it('takes back the CPUs of a removed pod only once its containers have stopped', async () => {
    let mayRun = true;
    const node = testNode({ couldHaveRunningContainers: (podUID) => podUID === 'a' && mayRun });
    await node.manager.start();
    await allocate(node, exclusive('a'));
    const cpus = node.manager.getExclusiveCpus('a', 'c');
    node.pods = [];
    await allocate(node, exclusive('b'));
    expect(node.manager.getExclusiveCpus('a', 'c').equals(cpus)).toBe(true);
    expect(node.manager.getExclusiveCpus('b', 'c').intersection(cpus).isEmpty).toBe(true);
    mayRun = false;
    await allocate(node, exclusive('c'));
    expect(node.manager.getExclusiveCpus('a', 'c').isEmpty).toBe(true);
    expect(node.manager.getExclusiveCpus('c', 'c').equals(cpus)).toBe(true);
    await node.manager.stop();
  });

  it('saves what it takes back before the next pod is admitted, also without exclusive CPUs', async () => {
    const held: (() => void)[] = [];
    let isSlow = false;
    let text: string | undefined;
    const node = testNode({
      store: {
        load: async () => text,
        async save(next) {
          if (isSlow) await new Promise<void>((resolve) => held.push(resolve));
          text = next;
        },
      },
    });
    const manager = node.create();
    await manager.start();
    await manager.allocate(exclusive('old'), testContainer('c', '2'), anywhere);
    expect(text).toContain('old');
    isSlow = true;
    let isAdmitted = false;
    const admitted = manager.allocate(testPod('next', [testContainer('c', '100m')]), testContainer('c', '100m'), anywhere).then(() => {
      isAdmitted = true;
    });
    await node.clock.settle();
    expect([isAdmitted, held.length]).toEqual([false, 1]);
    isSlow = false;
    held[0]?.();
    await admitted;
    expect(text).not.toContain('old');
    await manager.stop();
  });

  it('rejects what is not free, and counts', async () => {
    const node = testNode();
    await node.manager.start();
    const tooLarge = testPod('large', [testContainer('c', '16')]);
    await expect(allocate(node, tooLarge)).rejects.toMatchObject({
      code: 'NotEnoughCpus',
      message: 'not enough cpus available to satisfy request: requested=16, available=15',
    });
    await allocate(node, exclusive('a'));
    expect(node.values).toEqual({
      cpu_manager_pinning_requests_total: 2,
      cpu_manager_pinning_errors_total: 1,
      'container_aligned_compute_resources_count container uncore_cache': 1,
      cpu_manager_shared_pool_size_millicores: 13_000,
      cpu_manager_exclusive_cpu_allocation_count: 2,
      'cpu_manager_allocation_per_numa 0': 2,
      'cpu_manager_allocation_per_numa 1': 0,
    });
    await node.manager.stop();
  });

  it('with full-pcpus-only refuses a part of a core', async () => {
    const node = testNode({ policyOptions: { 'full-pcpus-only': 'true' } });
    await node.manager.start();
    await expect(allocate(node, testPod('odd', [testContainer('c', '3')]))).rejects.toMatchObject({
      code: 'SMTAlignmentError',
      message: 'SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2',
      details: { admissionReason: 'SMTAlignmentError' },
    });
    await expect(allocate(node, testPod('full', [testContainer('c', '16')]))).rejects.toMatchObject({
      message: 'SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 14, requested CPUs = 16, CPUs per core = 2',
    });
    expect(node.values['container_aligned_compute_resources_failure_count container physical_cpu']).toBe(2);
    await node.manager.stop();
  });

  it('continues if the state cannot be stored', async () => {
    const node = testNode();
    await node.manager.start();
    rmSync(node.stateFile);
    mkdirSync(join(node.stateFile, 'in the way'), { recursive: true });
    await allocate(node, exclusive('a'));
    expect(node.manager.getExclusiveCpus('a', 'c').size).toBe(2);
    expect(node.logger.lines.some(({ message }) => message === 'Failed to store state to checkpoint')).toBe(true);
    await node.manager.stop();
  });
});

describe('reconciliation', () => {
  it('updates containers that have other CPUs, at once and every 10 s', async () => {
    const node = testNode();
    const shared = testPod('shared', [testContainer('c', '100m')]);
    node.pods = [shared];
    node.runs(shared);
    await node.manager.start();
    await node.clock.settle();
    expect(node.updates).toEqual(['shared-c 0-15']);
    const pod = exclusive('a');
    await allocate(node, pod);
    node.manager.addContainer('a', 'c');
    node.runs(pod);
    await node.clock.advance(9_999);
    expect(node.updates).toHaveLength(1);
    await node.clock.advance(1);
    expect(node.updates.slice(1)).toEqual(['shared-c 0,2-8,10-15']);
    await node.clock.advance(60_000);
    expect(node.updates).toHaveLength(2);
    await node.manager.stop();
    expect(node.clock.pending).toBe(0);
  });

  it('updates no further container once it is stopped', async () => {
    let release = () => {};
    const updated: string[] = [];
    const node = testNode({
      async updateContainerCpuset(id) {
        updated.push(id);
        await new Promise<void>((resolve) => (release = resolve));
      },
    });
    for (const name of ['a', 'b']) {
      const pod = testPod(name, [testContainer('c', '100m')]);
      node.pods.push(pod);
      node.runs(pod);
    }
    const manager = node.create();
    await manager.start();
    await node.clock.settle();
    const stopped = manager.stop();
    release();
    await stopped;
    expect(updated).toEqual(['a-c']);
  });

  it('retries failed updates, ignores terminated containers, and explains the others', async () => {
    const node = testNode({ reconcilePeriodMs: 1_000 });
    const [shared, ended, waiting, missing] = ['shared', 'ended', 'waiting', 'missing'].map((name) =>
      testPod(name, [testContainer('c', '100m')]),
    ) as [Pod, Pod, Pod, Pod];
    node.pods = [shared, ended, waiting, missing];
    node.runs(shared);
    node.runs(ended, { terminated: { exitCode: 0 } });
    node.runs(waiting, { waiting: {} });
    node.updateFails = true;
    await node.manager.start();
    await node.clock.settle();
    expect(node.manager.explain().lastReconcile).toEqual({
      at: node.clock.now(),
      updated: 0,
      failures: [
        { podUID: 'shared', containerName: 'c', reason: 'the runtime is down' },
        { podUID: 'waiting', containerName: 'c', reason: 'the container is waiting' },
        { podUID: 'missing', containerName: 'c', reason: 'the pod has no status' },
      ],
    });
    node.updateFails = false;
    await node.clock.advance(1_000);
    expect(node.updates).toEqual(['shared-c 0-15']);
    await node.manager.stop();
  });
});

describe('state file', () => {
  it.each([
    ['no JSON', 'checkpoint is corrupted'],
    [
      '{"policyName":"none","defaultCpuSet":"","checksum":1353318690}',
      'configured policy "static" differs from state checkpoint policy "none"',
    ],
  ])('stops the start if it has %s', async (text, problem) => {
    const node = testNode();
    writeFileSync(node.stateFile, text);
    await expect(node.manager.start()).rejects.toMatchObject({
      code: 'InvalidCpuManagerState',
      message: `could not restore state from checkpoint: ${problem}, please drain this node and delete the CPU manager checkpoint file "${node.stateFile}" before restarting Kubelet`,
      hint: expect.stringContaining(node.stateFile),
    });
    expect(readFileSync(node.stateFile, 'utf8')).toBe(text);
  });

  it('stops the start if it does not fit the machine, and starts after it was removed', async () => {
    const node = testNode();
    writeFileSync(node.stateFile, '{"policyName":"static","defaultCpuSet":"0-7","checksum":0}');
    await expect(node.manager.start()).rejects.toMatchObject({
      code: 'InvalidCpuManagerState',
      message: `invalid state, please drain node and remove policy state file: current set of available CPUs "0-15" doesn't match with CPUs in state "0-7"`,
    });
    rmSync(node.stateFile);
    await node.manager.start();
    expect(existsSync(node.stateFile)).toBe(true);
    await node.manager.stop();
  });

  it('of an older kubelet is migrated with the running containers', async () => {
    const node = testNode({ runningContainers: () => [{ containerId: 'id1', podUID: 'a', containerName: 'c' }] });
    writeFileSync(node.stateFile, '{"policyName":"static","defaultCpuSet":"0,2-8,10-15","entries":{"id1":"1,9"},"checksum":0}');
    node.pods = [exclusive('a')];
    await node.manager.start();
    expect(node.state().entries).toEqual({ a: { c: '1,9' } });
    await node.manager.stop();
  });
});

describe('policy none', () => {
  it('assigns nothing, has no preference, and does not reconcile', async () => {
    const node = testNode({ policy: 'none' });
    await node.manager.start();
    expect(readFileSync(node.stateFile, 'utf8')).toBe('{"policyName":"none","defaultCpuSet":"","checksum":1353318690}');
    const pod = exclusive('a');
    await allocate(node, pod);
    expect(node.manager.getTopologyHints(pod, testContainer('c', '2'))).toEqual({});
    expect(node.manager.getPodTopologyHints(pod)).toEqual({});
    expect([node.manager.getCpuAffinity('a', 'c').size, node.manager.getAllocatableCpus().size]).toEqual([0, 0]);
    expect(node.manager.plan(pod)).toEqual({ containers: [{ containerName: 'c', cpus: null }] });
    expect(node.clock.pending).toBe(0);
    expect(node.manager.explain()).toEqual({ policy: 'none', stateFile: node.stateFile });
  });
});

it('explains who has which CPUs, as plain JSON', async () => {
  const node = testNode({ policyOptions: { 'full-pcpus-only': 'true' } });
  await node.manager.start();
  await allocate(node, exclusive('a'));
  const explanation = node.manager.explain();
  expect(JSON.parse(JSON.stringify(explanation))).toEqual(explanation);
  expect(explanation.pools).toMatchObject({
    reservedCpus: '0',
    defaultCpuSet: '0,2-8,10-15',
    freeCpus: '2-8,10-15',
    freeCpusOfWholeCores: 12,
    assignments: [{ podUID: 'a', containerName: 'c', cpus: '1,9', numaNodes: [0], sockets: [0], uncoreCaches: [0], hasWholeCores: true }],
  });
  expect(node.manager.plan(exclusive('b'))).toEqual({ containers: [{ containerName: 'c', cpus: '2,10' }] });
  expect(node.manager.plan(testPod('b', [testContainer('c', '3')])).error).toMatch(/^SMT Alignment Error/);
  await node.manager.stop();
});

it.each<[Partial<CpuManagerOptions>, string]>([
  [{ policy: 'dynamic' as 'none' }, 'unknown policy: "dynamic"'],
  [{ nodeAllocatableReservation: {} }, '[cpumanager] unable to determine reserved CPU resources for static policy'],
  [
    { nodeAllocatableReservation: { cpu: '0' } },
    '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero',
  ],
  [{ stateFile: '' }, 'stateFile must be a path, got ""'],
  [{ store: undefined as never }, 'store must be createTextFile(stateFile) of @nodeagent/api/files, or another store, got undefined'],
  [{ reconcilePeriodMs: 0 }, 'reconcilePeriodMs must be a number above 0, got 0'],
  [{ activePods: 1 as never }, 'activePods must be a function, got 1'],
])('rejects invalid options (%#)', (options, message) => {
  const node = testNode();
  expect(() => node.create(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', message }));
});
