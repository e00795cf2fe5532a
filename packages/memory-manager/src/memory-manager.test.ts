import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Pod } from '@nodeagent/api';
import { createTextFile } from '@nodeagent/api/files';
import { createRecordingLogger } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeMemoryCheckpoint } from './checkpoint.js';
import { createMemoryManager } from './memory-manager.js';
import type { MemoryManagerOptions } from './options.js';

const mebi = 2 ** 20;
const noHint = { numaNodes: null, preferred: false };
const numaNodes = [0, 1].map((id) => ({
  id,
  memoryBytes: 1024 * mebi,
  hugePages: [{ pageSizeKiB: 2048, pages: 32 }],
  distances: [10, 20],
}));

const container = (name: string, memory: string, more: Partial<Container> = {}): Container => {
  const list = { cpu: '1', memory };
  return { name, image: 'i', resources: { requests: list, limits: list }, ...more };
};
const podOf = (uid: string, containers: Container[], initContainers: Container[] = []): Pod => ({
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers, initContainers },
});

let folder: string;
let stateFile: string;
let active: Pod[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'memory-manager-'));
  stateFile = join(folder, 'memory_manager_state');
  active = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const create = (options: Partial<MemoryManagerOptions> = {}) =>
  createMemoryManager({
    policy: 'Static',
    topology: { numaNodes },
    reservedMemory: [{ numaNode: 0, limits: { memory: '100Mi' } }],
    nodeAllocatableReservation: { memory: '100Mi', cpu: '1', 'ephemeral-storage': '1Gi' },
    stateFile,
    store: createTextFile(options.stateFile ?? stateFile),
    activePods: () => active,
    ...options,
  });
async function started(options: Partial<MemoryManagerOptions> = {}) {
  const manager = create(options);
  await manager.start();
  return manager;
}
const saved = () => decodeMemoryCheckpoint(readFileSync(stateFile, 'utf8'));

describe('policy Static', () => {
  it('assigns memory of the hinted node and keeps it across a restart', async () => {
    const pod = podOf('u1', [container('c', '200Mi')]);
    active = [pod];
    const manager = await started();
    await manager.allocate(pod, container('c', '200Mi'), { numaNodes: [1], preferred: true });
    expect(manager.memoryNumaNodes('u1', 'c')).toEqual([1]);
    expect(saved().entries).toEqual({ u1: { c: [{ numaAffinity: [1], type: 'memory', size: 200 * mebi }] } });

    const next = await started();
    expect(next.explain()).toEqual(manager.explain());
    expect(next.getTopologyHints(pod, container('c', '200Mi'))).toEqual({ memory: [{ numaNodes: [1], preferred: true }] });
    await next.allocate(pod, container('c', '200Mi'), noHint);
    expect(next.explain()).toEqual(manager.explain());
  });

  it('assigns memory of as few nodes as possible without a hint, and of the first ones', async () => {
    const manager = await started();
    const pod = podOf('u1', [container('small', '200Mi'), container('second', '800Mi')]);
    await manager.allocate(pod, container('small', '200Mi'), noHint);
    await manager.allocate(pod, container('second', '800Mi'), noHint);
    expect(manager.memoryNumaNodes('u1', 'small')).toEqual([0]);
    expect(manager.memoryNumaNodes('u1', 'second')).toEqual([1]);
    const large = podOf('u2', [container('large', '1200Mi')]);
    const other = await started({ stateFile: join(folder, 'other_state') });
    await other.allocate(large, container('large', '1200Mi'), noHint);
    expect(other.memoryNumaNodes('u2', 'large')).toEqual([0, 1]);
  });

  it('has no opinion on pods that are not Guaranteed', async () => {
    const manager = await started();
    const burstable = podOf('u1', [{ name: 'c', image: 'i', resources: { requests: { memory: '1Mi' } } }]);
    expect(manager.getTopologyHints(burstable, { name: 'c' })).toEqual({});
    await manager.allocate(burstable, { name: 'c' }, noHint);
    expect(manager.memoryNumaNodes('u1', 'c')).toBeUndefined();
    expect(manager.memory('u1', 'c')).toEqual([]);
  });

  it('counts and rejects what no node has', async () => {
    const counts: Record<string, number> = {};
    const counter = ({ name }: { name: string }) => ({
      inc() {
        counts[name] = (counts[name] ?? 0) + 1;
      },
    });
    const manager = await started({ metrics: { counter, gauge: () => ({ set() {} }), histogram: () => ({ observe() {} }) } });
    const pod = podOf('u1', [container('c', '4Gi')]);
    await expect(manager.allocate(pod, container('c', '4Gi'), noHint)).rejects.toMatchObject({
      code: 'MemoryAllocationFailed',
      message: '[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available',
    });
    expect(counts).toEqual({ kubelet_memory_manager_pinning_requests_total: 1, kubelet_memory_manager_pinning_errors_total: 1 });
  });

  it('releases the memory of a removed pod only once its containers have stopped', async () => {
    let mayRun = true;
    const manager = await started({ couldHaveRunningContainers: () => mayRun });
    await manager.allocate(podOf('old', [container('c', '800Mi')]), container('c', '800Mi'), { numaNodes: [0], preferred: true });
    manager.getPodTopologyHints(podOf('new', [container('c', '800Mi')]));
    expect(manager.memoryNumaNodes('old', 'c')).toEqual([0]);
    mayRun = false;
    manager.getPodTopologyHints(podOf('new', [container('c', '800Mi')]));
    expect(manager.memoryNumaNodes('old', 'c')).toBeUndefined();
    await manager.stop();
    expect(saved().entries).toEqual({});
  });

  it('releases the memory of pods that are no longer active, once all sources are ready', async () => {
    let isReady = false;
    const manager = await started({ sourcesReady: () => isReady });
    const [old, next] = [podOf('old', [container('c', '800Mi')]), podOf('new', [container('c', '800Mi')])];
    await manager.allocate(old, container('c', '800Mi'), { numaNodes: [0], preferred: true });
    manager.getPodTopologyHints(next);
    expect(manager.memoryNumaNodes('old', 'c')).toEqual([0]);
    isReady = true;
    expect(manager.getPodTopologyHints(next)).toEqual({
      memory: [
        { numaNodes: [0], preferred: true },
        { numaNodes: [1], preferred: true },
        { numaNodes: [0, 1], preferred: false },
      ],
    });
    expect(manager.memoryNumaNodes('old', 'c')).toBeUndefined();
    await manager.stop();
    expect(saved().entries).toEqual({});
  });

  it('lets containers reuse the memory of init containers, and releases these when the container was created', async () => {
    const [init, main] = [container('init', '600Mi'), container('main', '500Mi')];
    const pod = podOf('u1', [main], [init]);
    active = [pod];
    const manager = await started();
    for (const each of [init, main]) await manager.allocate(pod, each, { numaNodes: [1], preferred: true });
    expect(manager.memory('u1', 'init')).toEqual([{ numaAffinity: [1], type: 'memory', size: 100 * mebi }]);
    expect(manager.explain().machineState[1]?.memoryMap.memory?.reserved).toBe(600 * mebi);
    manager.addContainer(pod, init);
    expect(manager.memory('u1', 'init')).toHaveLength(1);
    manager.addContainer(pod, main);
    expect(manager.memory('u1', 'init')).toEqual([]);
    expect(manager.explain().machineState[1]).toMatchObject({ numberOfAssignments: 1, memoryMap: { memory: { reserved: 500 * mebi } } });
    await manager.stop();
  });

  it('lists what containers can get', async () => {
    expect((await started()).allocatableMemory()).toEqual([
      { numaAffinity: [0], type: 'hugepages-2Mi', size: 64 * mebi },
      { numaAffinity: [0], type: 'memory', size: 860 * mebi },
      { numaAffinity: [1], type: 'hugepages-2Mi', size: 64 * mebi },
      { numaAffinity: [1], type: 'memory', size: 960 * mebi },
    ]);
  });

  it('logs a state that cannot be saved and continues', async () => {
    const logger = createRecordingLogger();
    const manager = await started({ stateFile: join(folder, 'state', 'file'), logger });
    rmSync(join(folder, 'state'), { recursive: true });
    writeFileSync(join(folder, 'state'), '');
    await manager.allocate(podOf('u1', [container('c', '1Mi')]), container('c', '1Mi'), noHint);
    expect(logger.lines.map(({ message }) => message)).toEqual(['failed to store state to checkpoint']);
    expect(manager.memoryNumaNodes('u1', 'c')).toEqual([0]);
  });
});

describe('the state file', () => {
  const message = (problem: string) => `could not restore state from checkpoint: ${problem}`;

  it('is written by the policy None too, and rejected by another policy', async () => {
    const none = await started({ policy: 'None', reservedMemory: [] });
    expect(readFileSync(stateFile, 'utf8')).toBe('{"policyName":"None","machineState":{},"checksum":4236770233}');
    expect(none.allocatableMemory()).toEqual([]);
    const pod = podOf('u1', [container('c', '1Mi')]);
    expect([none.getTopologyHints(pod, container('c', '1Mi')), none.getPodTopologyHints(pod)]).toEqual([{}, {}]);
    await expect(create().start()).rejects.toMatchObject({
      code: 'InvalidMemoryManagerState',
      message: message('[memorymanager] configured policy "Static" differs from state checkpoint policy "None"'),
      details: { path: stateFile },
    });
  });

  it('is rejected and kept when it is corrupt', async () => {
    writeFileSync(stateFile, '{"policyName":"Static","machineState":{},"checksum":5}');
    await expect(create().start()).rejects.toThrow(message('checkpoint is corrupted: the checksum does not match'));
    expect(existsSync(stateFile)).toBe(true);
  });

  it('is rejected when the machine or its reserved memory has changed', async () => {
    const pod = podOf('u1', [container('c', '1Gi')]);
    active = [pod];
    const manager = await started();
    await manager.allocate(pod, container('c', '1Gi'), noHint);
    expect(manager.memoryNumaNodes('u1', 'c')).toEqual([0, 1]);
    const changed = create({
      nodeAllocatableReservation: { memory: '50Mi' },
      reservedMemory: [{ numaNode: 1, limits: { memory: '50Mi' } }],
    });
    await expect(changed.start()).rejects.toThrow(message('[memorymanager] the expected machine state is different from the real one'));
    await expect(create({ topology: { numaNodes: numaNodes.slice(0, 1) } }).start()).rejects.toThrow(
      message('[memorymanager] (pod: u1, container: c) the memory assignment uses the NUMA that does not exist'),
    );
    await expect((await started()).explain()).toEqual(manager.explain());
  });
});

describe('reserved memory', () => {
  it.each([
    [[{ numaNode: 7, limits: {} }], {}, 'the reserved memory configuration references a NUMA node 7 that does not exist on this machine'],
    [
      [{ numaNode: 0, limits: { memory: '1Gi' } }],
      { memory: '2Gi' },
      'the total amount "1Gi" of type "memory" is not equal to the value "2Gi" determined by Node Allocatable feature',
    ],
    [
      [{ numaNode: 0, limits: { memory: '1Gi', 'hugepages-2Mi': '4Mi' } }],
      { memory: '1Gi' },
      'the total amount "4Mi" of type "hugepages-2Mi" is not equal to the value "0" determined by Node Allocatable feature',
    ],
    [[], {}, '[memorymanager] you should specify the system reserved memory'],
  ])('is checked: %j', (reservedMemory, nodeAllocatableReservation, problem) => {
    expect(() => create({ reservedMemory, nodeAllocatableReservation } as Partial<MemoryManagerOptions>)).toThrow(
      expect.objectContaining({ code: 'InvalidOption', message: problem, details: { field: 'reservedMemory' } }),
    );
  });

  it.each([
    [{ policy: 'static' }, 'policy'],
    [{ stateFile: '' }, 'stateFile'],
    [{ store: undefined }, 'store'],
    [{ activePods: undefined }, 'activePods'],
  ])('rejects the option %j', (option, field) => {
    expect(() => create(option as never)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  });
});
