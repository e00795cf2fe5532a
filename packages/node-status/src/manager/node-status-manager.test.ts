import { type Node, NodeAgentError } from '@nodeagent/api';
import { createRecordingLogger, createRecordingRecorder, createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createApiDouble, refused } from '../test-support/api-double.js';
import { testMachine, testNetwork } from '../test-support/test-machine.js';
import { createNodeStatusManager } from './node-status-manager.js';
import type { NodeStatusManagerOptions } from './options.js';

/** A manager of node `n1` on a machine and a runtime in the test's hands. */
function createTestNode(options: Partial<NodeStatusManagerOptions> = {}, seed = 1) {
  const clock = createVirtualClock();
  const api = createApiDouble<Node>(clock);
  const recorder = createRecordingRecorder();
  const logger = createRecordingLogger();
  const machineState = {
    clock,
    api,
    recorder,
    logger,
    machine: testMachine,
    runtimeErrors: [] as string[],
    pressure: { memory: false, disk: false, pid: false },
    node: () => api.objects.get('n1'),
    ready: () => api.objects.get('n1')?.status?.conditions?.find(({ type }) => type === 'Ready'),
  };
  const manager = createNodeStatusManager({
    nodeName: 'n1',
    nodes: api,
    machine: { info: async () => machineState.machine },
    network: testNetwork,
    runtime: {
      version: () => ({ type: 'containerd', version: '2.1.9' }),
      errors: () => machineState.runtimeErrors,
      networkErrors: () => [],
    },
    pressure: {
      isUnderMemoryPressure: () => machineState.pressure.memory,
      isUnderDiskPressure: () => machineState.pressure.disk,
      isUnderPIDPressure: () => machineState.pressure.pid,
    },
    architecture: 'amd64',
    clock,
    random: seededRandom(seed),
    recorder,
    logger,
    ...options,
  });
  return { ...machineState, machineState, manager };
}

const unreachable = () => new NodeAgentError('ApiUnreachable', 'connection refused', { retryable: true });

it('declares the features of the option, read for each report, unless the setting has others', async () => {
  let declared = ['A'];
  const { clock, manager, node } = createTestNode({ declaredFeatures: () => declared });
  await manager.start();
  await clock.advance(1_000);
  expect(node()?.status?.declaredFeatures).toEqual(['A']);
  declared = ['A', 'B'];
  await clock.advance(11_000);
  expect(node()?.status?.declaredFeatures).toEqual(['A', 'B']);
  await manager.stop();

  const fixed = createTestNode({ declaredFeatures: () => declared, settings: { declaredFeatures: ['C'] } });
  await fixed.manager.start();
  await fixed.clock.advance(1_000);
  expect(fixed.node()?.status?.declaredFeatures).toEqual(['C']);
  await fixed.manager.stop();
});

describe('registration', () => {
  it('creates the node with its full status after 100 ms', async () => {
    const { clock, api, manager, node, recorder } = createTestNode({
      settings: { nodeLabels: { zone: 'a' }, registerWithTaints: [{ key: 'k', effect: 'NoSchedule' }], providerID: 'cloud://1' },
    });
    await manager.start();
    await manager.start();
    expect(manager.registered).toBe(false);
    await clock.advance(99);
    expect(api.calls).toEqual([]);
    await clock.advance(1);
    expect([manager.registered, api.count('create')]).toEqual([true, 1]);
    const created = api.calls[0]?.body as Node;
    expect(created.metadata).toEqual({
      name: 'n1',
      labels: {
        'kubernetes.io/hostname': 'n1',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'beta.kubernetes.io/arch': 'amd64',
        zone: 'a',
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    });
    expect(created.spec).toEqual({ taints: [{ key: 'k', effect: 'NoSchedule' }], providerID: 'cloud://1' });
    expect(node()?.status).toMatchObject({
      capacity: { cpu: '4', memory: '8Gi', pods: '110', 'ephemeral-storage': '100Gi' },
      addresses: [
        { type: 'InternalIP', address: '10.0.0.7' },
        { type: 'Hostname', address: 'n1' },
      ],
      nodeInfo: { bootID: 'boot-1', containerRuntimeVersion: 'containerd://2.1.9', kubeletVersion: 'v1.36.2', architecture: 'amd64' },
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    });
    expect(recorder.lines.slice(0, 2)).toEqual([
      'Normal Starting Starting kubelet.',
      'Normal NodeHasSufficientMemory Node n1 status is now: NodeHasSufficientMemory',
    ]);
    expect(recorder.events[0]?.object).toEqual({ kind: 'Node', name: 'n1', uid: 'n1' });
    await manager.stop();
    await manager.stop();
    expect(clock.pending).toBe(0);
  });

  it('reports the newly registered Node before its informer has it, without a warning', async () => {
    const registered: number[] = [];
    let known: Node | undefined;
    const { clock, api, manager, node, logger, ready } = createTestNode({
      informer: { get: () => known },
      onRegistered: () => void registered.push(clock.monotonic()),
    });
    await manager.start();
    await clock.advance(200);
    expect([ready()?.status, registered, api.count('get')]).toEqual(['True', [100], 0]);
    known = node();
    await clock.advance(60_000);
    expect([logger.messages('warn'), logger.messages('error'), api.count('get')]).toEqual([[], [], 0]);
    await manager.stop();
  });

  it('retries for ten minutes while the API server is unreachable, with a back-off that doubles up to 7 s', async () => {
    const { clock, api, manager, ready } = createTestNode();
    const end = 600_000;
    api.intercept = async () => {
      if (clock.monotonic() < end) throw unreachable();
    };
    await manager.start();
    await clock.advance(20_000);
    const times = api.calls.map(({ at }) => at);
    expect(times).toEqual([100, 300, 700, 1_500, 3_100, 6_300, 12_700, 19_700]);
    await clock.advance(end - 20_000 + 7_000);
    expect([manager.registered, ready()?.status]).toEqual([true, 'True']);
    expect(api.count('create')).toBeLessThan(95);
    await manager.stop();
  });

  it.each(['AlreadyExists', 'Forbidden'])('reconciles the existing node when creating it fails with %s', async (reason) => {
    const { clock, api, manager, node } = createTestNode();
    api.put({ metadata: { name: 'n1', labels: { 'kubernetes.io/hostname': 'old', mine: 'stays' } }, spec: { podCIDR: '10.1.0.0/24' } });
    api.intercept = async (verb) => {
      if (verb === 'create') throw refused(reason);
    };
    await manager.start();
    await clock.advance(100);
    expect(manager.registered).toBe(true);
    expect(api.calls.slice(0, 3).map(({ verb }) => verb)).toEqual(['create', 'get', 'patch']);
    expect(node()?.metadata?.labels).toMatchObject({ 'kubernetes.io/hostname': 'n1', mine: 'stays', 'kubernetes.io/os': 'linux' });
    expect(node()?.spec).toEqual({ podCIDR: '10.1.0.0/24' });
    await manager.stop();
  });

  it('does not register a node with registerNode false', async () => {
    const { clock, api, manager } = createTestNode({ settings: { registerNode: false } });
    await manager.start();
    await clock.advance(30_000);
    expect([api.count('create'), manager.registered]).toEqual([0, false]);
    api.put({ metadata: { name: 'n1' } });
    await clock.advance(11_000);
    expect(api.count('patch')).toBe(1);
    await manager.stop();
  });

  it('times out a hanging call after ten seconds, and ignores its late answer', async () => {
    const { clock, api, manager } = createTestNode();
    api.intercept = async () => {
      if (api.calls.length === 1) await clock.sleep(60_000);
    };
    await manager.start();
    await clock.advance(10_400);
    expect([manager.registered, api.count('create')]).toEqual([true, 2]);
    await clock.advance(60_000);
    await manager.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('reports', () => {
  it('reports an unchanged status every five minutes, and syncs every ten seconds', async () => {
    const { clock, api, manager } = createTestNode();
    await manager.start();
    await clock.advance(1_000);
    const before = api.count('patch');
    await clock.advance(3_600_000);
    expect(api.count('patch') - before).toBeGreaterThanOrEqual(11);
    expect(api.count('patch') - before).toBeLessThanOrEqual(13);
    const patches = api.calls.filter(({ verb }) => verb === 'patch').map(({ at }) => at);
    const gaps = patches.slice(2).map((at, index) => at - (patches[index + 1] ?? 0));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(300_000);
    const reads = api.calls.filter(({ verb }) => verb === 'get');
    expect(reads.every(({ resourceVersion }) => resourceVersion === '0')).toBe(true);
    expect(reads.length).toBeGreaterThan(345);
    expect(reads.length).toBeLessThanOrEqual(361);
    await manager.stop();
  });

  it('sends only patches to the API server when it has an informer', async () => {
    const informed: { get?: () => Node | undefined } = {};
    const { clock, api, manager, node } = createTestNode({ informer: { get: () => informed.get?.() } });
    informed.get = node;
    await manager.start();
    await clock.advance(3_600_000);
    expect(api.count('get')).toBe(0);
    expect(api.count('patch')).toBeLessThanOrEqual(14);
    await manager.stop();
  });

  it('patches only heartbeats when nothing else changed', async () => {
    const { clock, api, manager } = createTestNode();
    await manager.start();
    await clock.advance(600_000);
    const patch = api.calls.findLast(({ verb }) => verb === 'patch')?.body as { status: Record<string, unknown> };
    expect(Object.keys(patch)).toEqual(['status']);
    expect(Object.keys(patch.status).sort()).toEqual(['$setElementOrder/conditions', 'conditions']);
    const conditions = patch.status.conditions as object[];
    expect(conditions.map((condition) => Object.keys(condition))).toEqual(Array.from({ length: 4 }, () => ['lastHeartbeatTime', 'type']));
    await manager.stop();
  });

  it('reports pressure and its end within ten seconds', async () => {
    const { clock, api, manager, machineState, node, recorder } = createTestNode();
    await manager.start();
    await clock.advance(60_000);
    recorder.clear();
    machineState.pressure.memory = true;
    await clock.advance(10_500);
    expect(node()?.status?.conditions?.[0]).toMatchObject({
      type: 'MemoryPressure',
      status: 'True',
      reason: 'KubeletHasInsufficientMemory',
    });
    machineState.pressure.memory = false;
    await clock.advance(10_500);
    expect(node()?.status?.conditions?.[0]).toMatchObject({ status: 'False' });
    expect(recorder.lines).toEqual([
      'Normal NodeHasInsufficientMemory Node n1 status is now: NodeHasInsufficientMemory',
      'Normal NodeHasSufficientMemory Node n1 status is now: NodeHasSufficientMemory',
    ]);
    expect(api.count('patch')).toBe(2);
    await manager.stop();
  });

  it('reports a node as ready as soon as its runtime is', async () => {
    const { clock, manager, ready, recorder, machineState } = createTestNode();
    machineState.runtimeErrors.push('container runtime status check may not have completed yet');
    await manager.start();
    await clock.advance(4_000);
    expect(ready()).toMatchObject({ status: 'False', message: 'container runtime status check may not have completed yet' });
    machineState.runtimeErrors.length = 0;
    await clock.advance(100);
    expect(ready()).toMatchObject({ status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' });
    expect(recorder.lines.filter((line) => line.includes('NodeReady'))).toHaveLength(1);
    await manager.stop();
  });

  it('emits one event for a flip, after its report, despite earlier failures', async () => {
    const { clock, api, manager, machineState, recorder } = createTestNode();
    machineState.runtimeErrors.push('container runtime is down');
    await manager.start();
    await clock.advance(5_000);
    recorder.clear();
    api.intercept = async (verb) => {
      if (verb === 'patch' && clock.monotonic() < 40_000) throw unreachable();
    };
    machineState.pressure.disk = true;
    await clock.advance(30_000);
    expect(recorder.lines).toEqual([]);
    await clock.advance(20_000);
    expect(recorder.lines).toEqual(['Normal NodeHasDiskPressure Node n1 status is now: NodeHasDiskPressure']);
    await manager.stop();
  });

  it('stops frequent checks after two minutes without being ready', async () => {
    const { clock, manager, logger, machineState } = createTestNode();
    machineState.runtimeErrors.push('container runtime is down');
    await manager.start();
    await clock.advance(121_000);
    expect(logger.messages('error')).toEqual(['the node did not become ready in time after the start']);
    expect(clock.pending).toBe(1);
    await manager.stop();
  });

  it('reads the newest node after a conflict, and reports repeated failures from the second on', async () => {
    let helps = 0;
    const { clock, api, manager } = createTestNode({
      onRepeatedHeartbeatFailure: () => {
        helps++;
      },
    });
    await manager.start();
    await clock.advance(60_000);
    let failures = 0;
    api.intercept = async (verb) => {
      if (verb === 'patch' && failures++ < 2) throw refused('Conflict');
    };
    const seen = api.calls.length;
    await clock.advance(480_000);
    const around = api.calls.slice(seen).filter(({ verb }, index, calls) => verb === 'patch' || calls[index + 1]?.verb === 'patch');
    expect(around.slice(0, 6).map(({ verb, resourceVersion }) => `${verb} ${resourceVersion ?? ''}`.trim())).toEqual([
      'get 0',
      'patch',
      'get',
      'patch',
      'get',
      'patch',
    ]);
    expect(helps).toBe(1);
    await manager.stop();
  });

  it('fails after five attempts, and retries in the next period', async () => {
    const { clock, api, manager, logger } = createTestNode();
    await manager.start();
    await clock.advance(60_000);
    api.intercept = async () => {
      throw unreachable();
    };
    const seen = api.calls.length;
    const failed = await manager.syncNodeStatus().catch((error: NodeAgentError) => error);
    expect([api.calls.length - seen, failed]).toMatchObject([
      5,
      {
        code: 'NodeStatusUpdateFailed',
        retryable: true,
        message: 'update node status exceeds retry count',
        cause: { code: 'ApiUnreachable' },
      },
    ]);
    api.intercept = async () => {};
    await clock.advance(330_000);
    expect(logger.messages('error')).toEqual([]);
    await manager.stop();
  });

  it('keeps its period when the wall clock jumps', async () => {
    const { clock, api, manager } = createTestNode();
    await manager.start();
    await clock.advance(1_000);
    const before = api.count('patch');
    for (const jump of [86_400_000, -172_800_000]) {
      clock.jump(jump);
      await clock.advance(60_000);
    }
    expect(api.count('patch')).toBe(before);
    await clock.advance(480_000);
    expect(api.count('patch')).toBeGreaterThan(before);
    await manager.stop();
  });
});

describe('changes of the node by other clients', () => {
  it('does not re-create a deleted node until a restart, as a kubelet', async () => {
    const { clock, api, manager, logger, node } = createTestNode();
    await manager.start();
    await clock.advance(60_000);
    api.delete('n1');
    await clock.advance(60_000);
    expect([node(), api.count('create')]).toEqual([undefined, 1]);
    expect(logger.messages('error')[0]).toBe('unable to update the node status');
    await manager.stop();
    await manager.start();
    await clock.advance(200);
    expect([manager.registered, api.count('create')]).toEqual([true, 2]);
    await manager.stop();
  });

  it('registers a deleted node again with registerDeletedNode', async () => {
    const { clock, api, manager, ready } = createTestNode({ settings: { registerDeletedNode: true } });
    await manager.start();
    await clock.advance(60_000);
    api.delete('n1');
    await clock.advance(21_000);
    expect([api.count('create'), ready()?.status]).toEqual([2, 'True']);
    await manager.stop();
  });

  it('reconciles the platform labels and emits an event for a cordon', async () => {
    const { clock, api, manager, node, recorder } = createTestNode();
    await manager.start();
    await clock.advance(1_000);
    const current = node();
    api.put({ ...current, metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'plan9' } }, spec: { unschedulable: true } });
    await clock.advance(10_500);
    expect(node()?.metadata?.labels).toEqual({ 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' });
    expect(recorder.lines.at(-1)).toBe('Normal NodeNotSchedulable Node n1 status is now: NodeNotSchedulable');
    await manager.stop();
  });

  it("retries to update the runtime's pod CIDRs until it succeeds", async () => {
    const updates: string[] = [];
    const { clock, api, manager, node } = createTestNode({
      updatePodCIDR: async (cidrs) => {
        updates.push(cidrs);
        if (updates.length === 1) throw new Error('not now');
      },
    });
    await manager.start();
    await clock.advance(1_000);
    const current = node();
    api.put({ ...current, metadata: { ...current?.metadata }, spec: { podCIDRs: ['10.1.0.0/24', 'fd00:1::/64'] } });
    await clock.advance(45_000);
    expect(updates).toEqual(['10.1.0.0/24,fd00:1::/64', '10.1.0.0/24,fd00:1::/64']);
    await manager.stop();
  });
});

describe('facts', () => {
  it('emits one event for a reboot', async () => {
    const { clock, api, manager, recorder, machineState, node } = createTestNode();
    await manager.start();
    await clock.advance(1_000);
    await manager.stop();
    const restarted = createTestNode({
      nodes: api,
      clock,
      recorder,
      machine: { info: async () => ({ ...testMachine, bootId: 'boot-2' }) },
    });
    api.intercept = async (verb) => {
      if (verb === 'patch' && clock.monotonic() < 30_000) throw unreachable();
    };
    await restarted.manager.start();
    await clock.advance(90_000);
    expect(recorder.lines.filter((line) => line.startsWith('Warning'))).toEqual([
      'Warning Rebooted Node n1 has been rebooted, boot id: boot-2',
    ]);
    expect([node()?.status?.nodeInfo?.bootID, machineState.machine.bootId]).toEqual(['boot-2', 'boot-1']);
    await restarted.manager.stop();
  });

  it('reports without unknown facts', async () => {
    const fail = async () => {
      throw new Error('no such file');
    };
    const { clock, manager, node, logger } = createTestNode({
      machine: { info: fail },
      images: fail,
      network: { interfaceAddresses: () => [], lookup: fail, defaultAddress: fail },
    });
    await manager.start();
    await clock.advance(200);
    expect(node()?.status).toMatchObject({ capacity: { cpu: '0', memory: '0', pods: '110' } });
    expect(node()?.status?.addresses).toBeUndefined();
    expect(node()?.status?.conditions?.at(-1)?.message).toBe('missing node capacity for resources: ephemeral-storage');
    expect([...new Set(logger.messages('error'))].sort()).toEqual([
      "cannot get the node's addresses",
      "cannot get the node's images",
      "cannot get the node's machine",
    ]);
    await manager.stop();
  });

  it('reports its address within a second of its appearance, and logs a missing one once', async () => {
    let own: string[] = [];
    let reads = 0;
    const interfaceAddresses = () => {
      reads++;
      return own;
    };
    const { clock, api, manager, node, logger } = createTestNode({
      network: { ...testNetwork, interfaceAddresses },
      settings: { nodeIPs: ['10.201.0.1'] },
    });
    await manager.start();
    await clock.advance(60_000);
    expect([node()?.status?.addresses, logger.messages('error')]).toEqual([undefined, ["cannot get the node's addresses"]]);
    const patches = api.count('patch');
    own = ['10.201.0.1'];
    await clock.advance(1_100);
    expect(node()?.status?.addresses?.[0]).toEqual({ type: 'InternalIP', address: '10.201.0.1' });
    expect(api.count('patch')).toBe(patches + 1);
    reads = 0;
    await clock.advance(60_000);
    expect(reads).toBeLessThanOrEqual(6);
    await manager.stop();
  });

  it('marks volumes as in use after they are reported', async () => {
    const marked: (readonly string[])[] = [];
    let hasSynced = false;
    const volumes = {
      get hasSynced() {
        return hasSynced;
      },
      volumesInUse: () => ['kubernetes.io/csi/d^v'],
      markVolumesAsReportedInUse: (names: readonly string[]) => marked.push(names),
    };
    const { clock, manager, node } = createTestNode({ volumes });
    await manager.start();
    await clock.advance(15_000);
    expect([node()?.status?.volumesInUse, marked.at(-1)]).toEqual([undefined, []]);
    hasSynced = true;
    await clock.advance(10_500);
    expect([node()?.status?.volumesInUse, marked.at(-1)]).toEqual([['kubernetes.io/csi/d^v'], ['kubernetes.io/csi/d^v']]);
    await manager.stop();
  });

  it('marks the volumes as in use that the answer of the API server has, not those that were sent', async () => {
    const marked: (readonly string[])[] = [];
    let hasSynced = false;
    const volumes = {
      get hasSynced() {
        return hasSynced;
      },
      volumesInUse: () => ['kubernetes.io/csi/d^v'],
      markVolumesAsReportedInUse: (names: readonly string[]) => marked.push(names),
    };
    const { clock, manager, api } = createTestNode({ volumes });
    await manager.start();
    await clock.advance(15_000);
    const { patch } = api;
    const sent: unknown[] = [];
    api.patch = async (key, body, ...rest) => {
      const { volumesInUse, ...status } = (body as Node).status ?? {};
      sent.push(volumesInUse);
      return patch(key, { ...(body as Node), status }, ...rest);
    };
    hasSynced = true;
    marked.length = 0;
    await clock.advance(60_000);
    expect([sent[0], marked.length > 0, marked.flat()]).toEqual([['kubernetes.io/csi/d^v'], true, []]);
    await manager.stop();
  });

  it('only builds the Node object without an API server', async () => {
    const clock = createVirtualClock();
    const manager = createNodeStatusManager({
      nodeName: 'n1',
      architecture: 'amd64',
      machine: { info: async () => testMachine },
      network: { interfaceAddresses: () => [], lookup: async () => [], defaultAddress: async () => '10.0.0.9' },
      runtime: { version: () => ({ type: 'remote' }), errors: () => [], networkErrors: () => [] },
      clock,
      settings: { systemReserved: { cpu: '500m' } },
    });
    await manager.start();
    await manager.syncNodeStatus();
    const node = await manager.getNode();
    expect(node.status).toMatchObject({ allocatable: { cpu: '3500m' }, nodeInfo: { containerRuntimeVersion: 'remote://Unknown' } });
    await expect(manager.fetchNode()).rejects.toMatchObject({ code: 'InvalidOption', details: { field: 'nodes' } });
    await manager.stop();
    expect(clock.pending).toBe(0);
  });

  it('does not start if it is stopped during the start', async () => {
    const { api, clock, manager } = createTestNode();
    const started = manager.start();
    await manager.stop();
    await started;
    await clock.advance(1_000);
    expect([api.calls, clock.pending]).toEqual([[], 0]);
  });

  it('does not start if reservations exceed the capacity', async () => {
    const { api, clock, manager } = createTestNode({ settings: { kubeReserved: { cpu: '5' } } });
    await expect(manager.start()).rejects.toMatchObject({ code: 'InvalidNodeAllocatable', details: { resources: ['cpu'] } });
    await clock.advance(1_000);
    expect(api.calls).toEqual([]);
  });

  it.each([
    [{ nodeStatusUpdateFrequencyMs: 0 }, 'nodeStatusUpdateFrequencyMs'],
    [{ maxPods: -1 }, 'maxPods'],
    [{ nodeStatusMaxImages: -2 }, 'nodeStatusMaxImages'],
    [{ nodeIPs: ['10.0.0.1', 'fd00::1', 'fd00::2'] }, 'nodeIPs'],
  ])('rejects %o', (settings, field) => {
    expect(() => createTestNode({ settings })).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});
