import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, ResourceRequirements } from '@nodeagent/api';
import { decodeResourcesCheckpoint } from '@nodeagent/api/files';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createRecordingLogger, createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planPodResize } from '../decide/resize-plan.js';
import type { RuntimeManagerOptions } from '../options.js';
import { createTestNode } from '../test-node.js';
import { createActuatedResources } from './actuated-resources.js';
import type { ActuatedState, ActuatedStateStore } from './actuated-state.js';
import { createFileActuatedState } from './file-actuated-state.js';

const small = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
const moreCpu = { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '300m', memory: '64Mi' } };

const podWith = (resources: ResourceRequirements, container: object = {}, spec: object = {}): Pod => {
  const pod = buildPod({ name: 'web', containers: [{ name: 'c', resources, ...container }] });
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], ...spec } };
};

function setUp(overrides: Partial<RuntimeManagerOptions> = {}) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any' });
  const recorder = createRecordingRecorder();
  const reinspected: string[] = [];
  const node = createTestNode(memory, clock, { recorder, requestReinspect: (uid) => reinspected.push(uid), ...overrides });
  const updates = () =>
    memory.calls
      .filter(({ method }) => method.startsWith('update') || /^(create|start|stop)/.test(method))
      .map(({ method, request }) => {
        const { linux, resources } = request as { linux?: object; resources?: object };
        const { cpuQuota, cpuShares, memoryLimitInBytes } = (linux ?? resources ?? {}) as Record<string, bigint>;
        if (!method.startsWith('update')) return method;
        return `${method === 'updateContainerResources' ? 'container' : 'pod'} ${cpuShares}/${cpuQuota} ${(memoryLimitInBytes ?? 0n) / 2n ** 20n}Mi`;
      });
  const run = async (pod: Pod) => {
    expect((await node.sync(pod)).error).toBeUndefined();
    memory.clearCalls();
    reinspected.length = 0;
  };
  return { clock, memory, recorder, node, updates, run, reinspected };
}

describe('a resize in place', () => {
  it('makes the same calls as a kubelet, without a restart', async () => {
    const { memory, node, updates, run, reinspected } = setUp();
    await run(podWith(small));
    const changed = podWith(moreCpu);
    expect(node.manager.isPodResizeInProgress(changed, await node.status(changed))).toBe(true);

    const { results } = await node.sync(changed);

    expect(results).toContainEqual({ action: 'ResizePodInPlace', target: expect.stringContaining('web_default') });
    expect(updates()).toEqual(['pod 102/30000 64Mi', 'pod 153/30000 64Mi', 'container 153/30000 64Mi']);
    expect(reinspected).toEqual([changed.metadata?.uid]);
    const after = await node.status(changed);
    expect(after.containerStatuses).toMatchObject([{ restartCount: 0, state: 'running', resources: { cpuLimit: 300, cpuRequest: 150 } }]);
    expect(node.manager.isPodResizeInProgress(changed, after)).toBe(false);
    memory.clearCalls();
    await node.sync(changed);
    expect(updates()).toEqual([]);
  });

  it('changes memory before CPU, and shrinks the pod after its containers', async () => {
    const { node, updates, run } = setUp();
    await run(podWith(moreCpu));
    await node.sync(podWith({ requests: { cpu: '100m', memory: '16Mi' }, limits: { cpu: '200m', memory: '32Mi' } }));
    expect(updates()).toEqual([
      'container 153/30000 32Mi',
      'pod 153/30000 32Mi',
      'container 102/20000 32Mi',
      'pod 102/30000 32Mi',
      'pod 102/20000 32Mi',
    ]);
  });

  it('that adds pod-level resources to a pod that had none changes the pod', async () => {
    const { node, updates, run } = setUp();
    const cpu = (request: string, limit: string) => ({ requests: { cpu: request }, limits: { cpu: limit } });
    await run(podWith(cpu('2m', '10m')));
    const changed = podWith(cpu('2m', '10m'), {}, { resources: cpu('5m', '25m') });
    expect(node.manager.isPodResizeInProgress(changed, await node.status(changed))).toBe(true);
    await node.sync(changed);
    expect(updates()).toEqual(['pod 2/2500 0Mi', 'pod 5/2500 0Mi']);
    expect(node.manager.isPodResizeInProgress(changed, await node.status(changed))).toBe(false);
  });

  it('restarts a container whose resize policy requires it, after the pod was enlarged', async () => {
    const { node, updates, run, recorder } = setUp();
    const resizePolicy = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];
    await run(podWith(small, { resizePolicy }));
    await node.sync(podWith(moreCpu, { resizePolicy }));
    expect(updates()).toEqual(['stopContainer', 'pod 102/30000 64Mi', 'pod 153/30000 64Mi', 'createContainer', 'startContainer']);
    expect(recorder.lines).toContain('Normal Killing Container c resize requires restart');
    const { containerStatuses } = await node.status(podWith(moreCpu, { resizePolicy }));
    expect(containerStatuses[0]).toMatchObject({ state: 'running', restartCount: 1, resources: { cpuLimit: 300 } });
  });

  it('ignores changes of static pods, as the kubelet does', async () => {
    const { node, updates, run } = setUp();
    const isStatic = ({ metadata, ...pod }: Pod): Pod => ({
      ...pod,
      metadata: { ...metadata, annotations: { 'kubernetes.io/config.source': 'file' } },
    });
    await run(isStatic(podWith(small)));
    await node.sync(isStatic(podWith(moreCpu)));
    expect(updates()).toEqual([]);
  });

  it('works on a runtime without UpdatePodSandboxResources', async () => {
    const { memory, node, updates, run } = setUp();
    await run(podWith(small));
    memory.fault({ method: 'updatePodSandboxResources', error: 'CRI_UNIMPLEMENTED', times: Number.POSITIVE_INFINITY });
    const { results } = await node.sync(podWith(moreCpu));
    expect(results.every(({ error }) => error === undefined)).toBe(true);
    expect(updates()).toContain('container 153/30000 64Mi');
  });

  it('reports a failure, keeps the applied resources, and requests an inspection only after progress', async () => {
    const { memory, node, updates, run, reinspected } = setUp();
    await run(podWith(small));
    const wanted = podWith({ requests: { cpu: '150m', memory: '64Mi' }, limits: { cpu: '300m', memory: '128Mi' } });
    const isCpu = ({ linux }: { linux?: { cpuQuota?: bigint } }) => linux?.cpuQuota === 30_000n;
    const fault = memory.fault({ method: 'updateContainerResources', match: isCpu, error: 'device or resource busy' });

    const failed = (await node.sync(wanted)).results.find(({ action }) => action === 'ResizePodInPlace');
    expect(failed?.error).toMatchObject({ code: 'ResizePodInPlaceError', message: 'device or resource busy', retryable: true });
    expect(reinspected).toEqual([wanted.metadata?.uid]);
    expect(node.manager.isPodResizeInProgress(wanted, await node.status(wanted))).toBe(true);

    reinspected.length = 0;
    memory.fault({ method: 'updateContainerResources', match: isCpu, error: 'device or resource busy' });
    await node.sync(wanted);
    expect(reinspected).toEqual([]);

    fault.remove();
    memory.clearCalls();
    await node.sync(wanted);
    expect(updates().filter((call) => call.startsWith('container'))).toEqual(['container 153/30000 128Mi']);
    expect((await node.status(wanted)).containerStatuses[0]).toMatchObject({ restartCount: 0 });
  });

  it("rejects a memory limit below the pod's usage, and updates the pod's cgroup", async () => {
    const set: unknown[] = [];
    let usage = 40n * 2n ** 20n;
    const podCgroups = {
      memoryUsage: async () => usage,
      resize: async ({ spec }: Pod, resource: string, bound: string) => {
        set.push([resource, bound, spec?.containers[0]?.resources?.limits?.memory]);
      },
    };
    const { node, updates, run } = setUp({ podCgroups });
    await run(podWith(small));
    const less = podWith({ ...small, limits: { cpu: '200m', memory: '32Mi' } });
    const [failed] = (await node.sync(less)).results.filter(({ action }) => action === 'ResizePodInPlace');
    expect(failed?.error?.message).toBe('attempting to set pod memory limit (33554432) below current usage (41943040)');
    expect(updates()).toEqual([]);
    usage = 1n;
    await node.sync(less);
    expect(set).toEqual([['memory', 'limit', '32Mi']]);
  });

  it("rejects a memory limit below the container's usage, and retries", async () => {
    const { memory, node, updates, run } = setUp();
    let memoryBytes = 40 * 2 ** 20;
    memory.script('c', { usage: () => ({ memoryBytes }) });
    await run(podWith(small));
    const less = podWith({ ...small, limits: { cpu: '200m', memory: '32Mi' } });
    const [failed] = (await node.sync(less)).results.filter(({ action }) => action === 'ResizePodInPlace');
    expect(failed?.error?.message).toBe('attempting to set container "c" memory limit (33554432) below current usage (41943040)');
    expect(updates()).toEqual([]);
    expect(node.manager.isPodResizeInProgress(less, await node.status(less))).toBe(true);
    memoryBytes = 1;
    await node.sync(less);
    expect(updates()).toContain('container 102/20000 32Mi');
  });

  it('reads the usage only to lower a memory limit, and skips the check on a runtime without stats', async () => {
    const { memory, node, updates, run } = setUp();
    await run(podWith(small));
    await node.sync(podWith({ ...small, limits: { cpu: '200m', memory: '96Mi' } }));
    expect(memory.calls.filter(({ method }) => method === 'containerStats')).toEqual([]);
    memory.fault({ method: 'containerStats', error: 'CRI_UNIMPLEMENTED' });
    memory.clearCalls();
    await node.sync(podWith({ ...small, limits: { cpu: '200m', memory: '32Mi' } }));
    expect(updates()).toContain('container 102/20000 32Mi');
    memory.fault({ method: 'containerStats', error: 'no answer' });
    const { results } = await node.sync(podWith({ ...small, limits: { cpu: '200m', memory: '16Mi' } }));
    expect(results.find(({ action }) => action === 'ResizePodInPlace')?.error?.message).toBe('no answer');
  });

  it('updates a running init container in place, and is in progress until then', async () => {
    const { node, updates, run, memory } = setUp();
    const withInit = (resources: ResourceRequirements) => podWith(small, {}, { initContainers: [{ name: 'i', image: 'x', resources }] });
    await run(withInit(small));
    expect(memory.containers('i')).toMatchObject([{ state: 'running' }]);
    const changed = withInit(moreCpu);
    expect(node.manager.isPodResizeInProgress(changed, await node.status(changed))).toBe(true);
    await node.sync(changed);
    expect(updates()).toContain('container 153/30000 64Mi');
    expect(updates().some((call) => /create|stop/.test(call))).toBe(false);
    expect(node.manager.isPodResizeInProgress(changed, await node.status(changed))).toBe(false);
  });

  it('follows pod-level resources', async () => {
    const { node, updates, run } = setUp();
    const level = (cpu: string) => ({ resources: { requests: { cpu: '100m' }, limits: { cpu } } });
    await run(podWith({}, {}, level('200m')));
    await node.sync(podWith({}, {}, level('400m')));
    expect(updates().filter((call) => call.startsWith('pod')).length).toBeGreaterThan(0);
    expect(updates()).toContainEqual(expect.stringMatching(/^container \d+\/40000/));
    expect(updates().some((call) => /create|stop/.test(call))).toBe(false);
  });
});

describe('planPodResize', () => {
  it('removes the limit of the pod before the limit of its container', () => {
    const pod = podWith({ requests: { cpu: '100m' } });
    const steps = planPodResize({
      pod,
      actions: {
        containersToUpdate: { cpu: [{ id: 'x', name: 'c', from: {} as never, to: {} as never }] },
        updatePodResources: false,
        updatePodLevelResources: false,
      },
      actuated: new Map([['c', { requests: { cpu: '100m' }, limits: { cpu: '200m' } }]]),
      settings: { cgroupVersion: 1, memoryBytes: 2n ** 33n },
    });
    expect(steps.map(({ action, resources }) => [action, 'cpuQuota' in resources ? resources.cpuQuota : resources])).toEqual([
      ['updatePod', 0n],
      ['updateContainer', { requests: { cpu: '100m' } }],
    ]);
  });
});

it('a resize of the memory request updates the pod with MemoryQoS only', () => {
  const requesting = (memory: string) => ({ requests: { cpu: '100m', memory }, limits: { cpu: '200m', memory: '64Mi' } });
  const plan = (from: string, to: string, isOn: boolean) =>
    planPodResize({
      pod: podWith(requesting(to)),
      actions: {
        containersToUpdate: { memory: [{ id: 'x', name: 'c', from: {} as never, to: {} as never }] },
        updatePodResources: false,
        updatePodLevelResources: false,
      },
      actuated: new Map([['c', requesting(from)]]),
      settings: { cgroupVersion: 2, memoryBytes: 2n ** 33n, ...(isOn && { memoryQos: { allocatableBytes: 2n ** 33n } }) },
    }).map((step) => (step.action === 'updatePod' ? `${step.resource} ${step.bound}` : step.action));
  expect(plan('16Mi', '32Mi', true)).toEqual(['memory request', 'updateContainer']);
  expect(plan('32Mi', '16Mi', true)).toEqual(['updateContainer', 'memory request']);
  expect(plan('16Mi', '32Mi', false)).toEqual(['updateContainer']);
});

describe('the actuated resources', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'actuated-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are restored after a restart, so that a resize during the downtime is actuated', async () => {
    const path = join(folder, 'root', 'actuated_pods_state');
    const clock = createVirtualClock();
    const memory = createMemoryRuntime({ clock, images: 'any' });
    const store = () => {
      const state = createFileActuatedState(path);
      return {
        ...state,
        save(value: ActuatedState) {
          saves.push(state.save(value));
          return saves.at(-1) as Promise<void>;
        },
      };
    };
    const saves: Promise<void>[] = [];
    await createTestNode(memory, clock, { actuatedState: store() }).sync(podWith(small));
    expect(saves.length).toBeGreaterThan(0);
    await Promise.all(saves);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(decodeResourcesCheckpoint(readFileSync(path, 'utf8'))).toEqual({
      [podWith(small).metadata?.uid ?? '']: { containers: { c: small } },
    });

    memory.clearCalls();
    const next = createTestNode(memory, clock, { actuatedState: store() });
    await next.sync(podWith(moreCpu));
    await Promise.all(saves);
    expect(memory.calls.filter(({ method }) => method === 'updateContainerResources')).toHaveLength(1);
    const without = createTestNode(memory, clock);
    memory.clearCalls();
    await without.sync(podWith(small));
    expect(memory.calls.filter(({ method }) => method === 'updateContainerResources')).toHaveLength(0);
  });

  it.each(['{', '[]', '{"data":"{}","checksum":1}', '{"entries":{}}'])(
    'are initialized from the specs if the file contains %s',
    async (text) => {
      const path = join(folder, 'state');
      writeFileSync(path, text);
      await expect(createFileActuatedState(path).load()).rejects.toMatchObject({
        code: 'InvalidActuatedState',
        details: { path, setAside: `${path}.broken` },
      });
      expect(readFileSync(`${path}.broken`, 'utf8')).toBe(text);
      writeFileSync(path, text);
      const logger = createRecordingLogger();
      const actuated = createActuatedResources(createFileActuatedState(path), logger);
      await actuated.load();
      expect(logger.messages('warn')).toHaveLength(1);
      expect(actuated.ofPod(podWith(small)).actuated.get('c')).toEqual(small);
    },
  );

  it('are saved one state at a time, the newest last, and only if they changed', async () => {
    const saves: string[] = [];
    let release: () => void = () => {};
    const store: ActuatedStateStore = {
      load: async () => undefined,
      save: (state) => {
        saves.push(JSON.stringify(state));
        return new Promise((resolve, reject) => {
          release = () => (saves.length === 1 ? reject(new Error('disk full')) : resolve());
        });
      },
    };
    const actuated = createActuatedResources(store);
    actuated.set('u', 'a', {});
    await Promise.resolve();
    for (const name of ['b', 'c', 'c']) actuated.set('u', name, {});
    release();
    await new Promise(setImmediate);
    release();
    await actuated.saved();
    expect(saves).toEqual(['{"u":{"containers":{"a":{}}}}', '{"u":{"containers":{"a":{},"b":{},"c":{}}}}']);
    actuated.retain(new Set(['u']), actuated.revision());
    expect(saves).toHaveLength(2);
    actuated.retain(new Set(), actuated.revision());
    await Promise.resolve();
    expect(saves[2]).toBe('{}');
    release();
    await actuated.saved();
  });

  it('are saved before the container is created, however long the save takes', async () => {
    let release = () => {};
    const saved: string[] = [];
    const actuatedState: ActuatedStateStore = {
      load: async () => undefined,
      async save(state) {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        saved.push(JSON.stringify(state));
      },
    };
    const { memory, node } = setUp({ actuatedState });
    const pod = podWith(small);
    const synced = node.sync(pod);
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect([memory.callsOf('runPodSandbox').length, memory.callsOf('createContainer').length, saved]).toEqual([1, 0, []]);
    release();
    await synced;
    expect([memory.callsOf('createContainer').length, saved]).toEqual([
      1,
      [JSON.stringify({ [pod.metadata?.uid ?? '']: { containers: { c: small } } })],
    ]);
  });

  it('are followed by a container only once the allocations of pods are saved, too', async () => {
    let release = () => {};
    const isSaved = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { memory, node } = setUp({ allocationsSaved: () => isSaved });
    const synced = node.sync(podWith(small));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    expect([memory.callsOf('runPodSandbox').length, memory.callsOf('createContainer').length]).toEqual([1, 0]);
    release();
    await synced;
    expect(memory.callsOf('createContainer')).toHaveLength(1);
  });
});
