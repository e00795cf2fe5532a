import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container, Pod } from '@nodeagent/api';
import { createRecordingLogger, createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeDeviceCheckpoint } from './checkpoint.js';
import { createDeviceManager } from './device-manager.js';
import type { DeviceManagerOptions } from './options.js';
import type { DevicePluginConnection } from './plugin-connection.js';
import { createDeviceTestPlugin, type DeviceTestPlugin, type DeviceTestPluginOptions } from './test-plugin.js';

const resource = 'example.com/gpu';
const noHint = { numaNodes: null, preferred: false };
const numaNodes = [0, 1].map((id) => ({ id, memoryBytes: 1, hugePages: [], distances: [10, 20] }));

const container = (name: string, count: number, more: Partial<Container> = {}): Container => ({
  name,
  image: 'i',
  resources: { limits: { [resource]: String(count), cpu: '1' } },
  ...more,
});
const podOf = (uid: string, containers: Container[], initContainers: Container[] = []): Pod => ({
  metadata: { name: uid, namespace: 'default', uid },
  spec: { containers, initContainers },
});

let pluginDir: string;
let active: Pod[];
let cleanup: (() => Promise<void>)[];
beforeEach(() => {
  pluginDir = mkdtempSync(join(tmpdir(), 'devices-'));
  active = [];
  cleanup = [];
});
afterEach(async () => {
  for (const each of cleanup.reverse()) await each();
  rmSync(pluginDir, { recursive: true, force: true });
});

async function startManager(options: Partial<DeviceManagerOptions> = {}) {
  const manager = createDeviceManager({ pluginDir, topology: { numaNodes }, activePods: () => active, ...options });
  cleanup.push(() => manager.stop());
  await manager.start();
  return manager;
}

async function startPlugin(options: Partial<DeviceTestPluginOptions> = {}) {
  const devices = ['a', 'b', 'c'].map((id) => ({ id }));
  const plugin = createDeviceTestPlugin({ resource, pluginDir, devices, ...options });
  cleanup.push(() => plugin.stop());
  await plugin.start();
  return plugin;
}

/** A manager with a plugin whose devices are known. */
async function setUp(plugin: Partial<DeviceTestPluginOptions> = {}, options: Partial<DeviceManagerOptions> = {}) {
  const manager = await startManager(options);
  const device = await startPlugin(plugin);
  await device.register();
  await expect.poll(() => manager.capacity().capacity[resource]).toBeGreaterThan(0);
  return { manager, plugin: device };
}

/** A checkpoint whose saves hang from `hold` to `release`. */
function slowStore() {
  let held: Promise<void> | undefined;
  let release = () => {};
  const slow = {
    saving: undefined as string | undefined,
    saved: undefined as string | undefined,
    store: {
      load: async () => slow.saved,
      async save(text: string) {
        slow.saving = text;
        await held;
        slow.saved = text;
      },
    },
    hold() {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
  };
  return slow;
}

/** Ports of a plugin with these devices, without sockets. */
function memoryPlugin(...ids: string[]): Pick<DeviceManagerOptions, 'listen' | 'connect'> & { allocated: string[][] } {
  const allocated: string[][] = [];
  return {
    allocated,
    async listen(connectPlugin) {
      await connectPlugin(resource, '/missing/plugin.sock', new AbortController().signal);
      return { close: async () => {} };
    },
    connect: () => ({
      options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
      async *listAndWatch(signal) {
        yield ids.map((id) => ({ id, health: 'Healthy', numaNodes: null }));
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
      async allocate(chosen) {
        allocated.push([...chosen]);
        return [{ envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] }];
      },
      preferredAllocation: async () => [],
      async preStartContainer() {},
    }),
  };
}

const savedIds = (text: string | undefined) =>
  text === undefined ? [] : decodeDeviceCheckpoint(text).records.flatMap(({ devices }) => Object.values(devices).flat());

const idsOf = (devices: Record<string, Record<number, readonly string[]>>) => Object.values(devices[resource] ?? {}).flat();
const called = (plugin: DeviceTestPlugin, method: string) => plugin.calls.filter((call) => call.method === method).map(({ ids }) => ids);

describe('registration', () => {
  it('adds the devices of a plugin that registers, and asks it for its options', async () => {
    const { manager, plugin } = await setUp({ devices: [{ id: 'a' }, { id: 'b', health: 'Unhealthy' }] });
    expect(manager.capacity()).toEqual({ capacity: { [resource]: 2 }, allocatable: { [resource]: 1 }, deleted: [] });
    expect(manager.allocatableDevices()).toEqual({ [resource]: [{ id: 'a', health: 'Healthy', numaNodes: null }] });
    expect(plugin.calls.map(({ method }) => method)).toEqual(['getDevicePluginOptions', 'listAndWatch']);
    expect(manager.unhealthyReason()).toBeUndefined();
  });

  it('follows the list of a plugin and reports the pods whose devices changed', async () => {
    const changed: string[] = [];
    const { manager, plugin } = await setUp({}, { healthChanged: (uids) => changed.push(...uids) });
    const pod = podOf('u1', [container('c', 1)]);
    active = [pod];
    await manager.allocate(pod, container('c', 1), noHint);
    plugin.setDevices([{ id: 'a', health: 'Unhealthy' }, { id: 'b' }]);
    await expect.poll(() => manager.capacity().allocatable[resource]).toBe(1);
    expect(changed).toEqual(['u1']);
    expect(manager.resourceHealth('u1')).toEqual({ c: [{ name: resource, resources: [{ resourceID: 'a', health: 'Unhealthy' }] }] });
    await expect(manager.allocate(pod, container('c', 1), noHint)).rejects.toThrow(
      `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`,
    );
  });

  it.each([
    [{ version: 'v1alpha' }, 'requested API version "v1alpha" is not supported by kubelet. Supported version is ["v1beta1"]'],
    [{ resource: 'gpu' }, 'the ResourceName "gpu" is invalid'],
    [{ resource: 'kubernetes.io/gpu' }, 'the ResourceName "kubernetes.io/gpu" is invalid'],
    [{ endpoint: '../other.sock' }, 'is outside of'],
  ])('rejects %j', async (changes, problem) => {
    const manager = await startManager();
    const plugin = await startPlugin();
    await expect(plugin.register(changes)).rejects.toThrow(problem);
    expect(manager.capacity().capacity).toEqual({});
  });

  it('handles plugins of the plugin manager', async () => {
    const manager = await startManager();
    await startPlugin();
    const { registration } = manager;
    expect(() => registration.validate(resource, '', ['v1'])).toThrow(
      'manager version, v1beta1, is not among plugin supported versions [v1]',
    );
    registration.validate(resource, '', ['v1', 'v1beta1']);
    const { signal } = new AbortController();
    await registration.register(resource, `${pluginDir}/test.sock`, ['v1beta1'], signal);
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 3 });
    await registration.deregister(resource, `${pluginDir}/test.sock`, signal);
    expect(manager.capacity()).toEqual({ capacity: { [resource]: 3 }, allocatable: { [resource]: 0 }, deleted: [] });
  });

  it('removes sockets from the folder when it starts, and nothing else', async () => {
    await startPlugin();
    writeFileSync(join(pluginDir, 'notes'), 'x');
    await startManager();
    expect(existsSync(join(pluginDir, 'test.sock'))).toBe(false);
    expect(readFileSync(join(pluginDir, 'notes'), 'utf8')).toBe('x');
    expect(existsSync(join(pluginDir, 'DEPRECATION'))).toBe(true);
    expect(statSync(join(pluginDir, 'kubelet.sock')).isSocket()).toBe(true);
  });
});

describe('a plugin that disconnects', () => {
  it('keeps its capacity for 5 minutes, and gets its devices back when it registers again', async () => {
    const clock = createVirtualClock();
    const { manager, plugin } = await setUp({}, { clock });
    await plugin.stop();
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 0 });
    await clock.advance(300_000);
    expect(manager.capacity()).toEqual({ capacity: { [resource]: 3 }, allocatable: { [resource]: 0 }, deleted: [] });
    await plugin.start();
    await plugin.register();
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 3 });
  });

  it('loses its resource after 5 minutes', async () => {
    const clock = createVirtualClock();
    const { manager, plugin } = await setUp({}, { clock });
    await plugin.stop();
    await expect.poll(() => manager.explain().resources[0]?.removedInMs).toBe(300_000);
    await clock.advance(300_001);
    expect(manager.capacity()).toEqual({ capacity: {}, allocatable: {}, deleted: [resource] });
    expect(manager.capacity().deleted).toEqual([]);
    await manager.stop();
    expect(decodeDeviceCheckpoint(readFileSync(join(pluginDir, 'kubelet_internal_checkpoint'), 'utf8')).registered).toEqual({});
  });

  it('does not take the devices of a plugin that has replaced it', async () => {
    const { manager, plugin } = await setUp();
    const next = await startPlugin({ endpoint: 'next.sock', devices: [{ id: 'x' }] });
    await next.register();
    await expect.poll(() => manager.capacity().capacity).toEqual({ [resource]: 1 });
    await plugin.stop();
    next.setDevices([{ id: 'x' }, { id: 'y' }]);
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 2 });
  });
});

describe('a plugin that another one has replaced', () => {
  it('is not followed if the manager stops while the plugin answers', async () => {
    let answer = () => {};
    let isFollowed = false;
    let register = async () => {};
    const manager = await startManager({
      async listen(connectPlugin) {
        register = () => connectPlugin(resource, '/slow.sock', new AbortController().signal);
        return { close: async () => {} };
      },
      connect: () => ({
        options: () =>
          new Promise((resolve) => (answer = () => resolve({ preStartRequired: false, getPreferredAllocationAvailable: false }))),
        async *listAndWatch() {
          isFollowed = true;
          yield [];
        },
        allocate: async () => [],
        preferredAllocation: async () => [],
        async preStartContainer() {},
      }),
    });
    const registered = register();
    await manager.stop();
    answer();
    await expect(registered).rejects.toThrow('the device manager stops');
    expect([isFollowed, manager.explain().resources]).toEqual([false, []]);
  });

  it('is not followed, even if its stream continues', async () => {
    let resume = () => {};
    const resumed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    let ended = false;
    const healthy = (id: string) => ({ id, health: 'Healthy', numaNodes: null });
    const connections = {
      async *'/old.sock'() {
        try {
          yield [healthy('a')];
          await resumed;
          yield [healthy('a'), healthy('b'), healthy('c')];
        } finally {
          ended = true;
        }
      },
      async *'/new.sock'(signal: AbortSignal) {
        yield [healthy('x')];
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
    };
    let register = async (_socketPath: string) => {};
    const manager = await startManager({
      async listen(connectPlugin) {
        register = (socketPath) => connectPlugin(resource, socketPath, new AbortController().signal);
        return { close: async () => {} };
      },
      connect: (socketPath) => ({
        options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
        listAndWatch: connections[socketPath as keyof typeof connections],
        allocate: async () => [],
        preferredAllocation: async () => [],
        async preStartContainer() {},
      }),
    });
    await register('/old.sock');
    await expect.poll(() => manager.capacity().capacity).toEqual({ [resource]: 1 });
    await register('/new.sock');
    resume();
    await expect.poll(() => ended).toBe(true);
    expect(manager.capacity().capacity).toEqual({ [resource]: 1 });
    expect(manager.capacity().allocatable).toEqual({ [resource]: 1 });
  });

  it('is not followed after it was unregistered, even if its stream continues', async () => {
    let send = () => {};
    let ended = false;
    const manager = await startManager({
      listen: async () => ({ close: async () => {} }),
      connect: () => ({
        options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
        async *listAndWatch() {
          try {
            yield [{ id: 'a', health: 'Healthy', numaNodes: null }];
            await new Promise<void>((resolve) => (send = resolve));
            yield [{ id: 'a', health: 'Healthy', numaNodes: null }];
          } finally {
            ended = true;
          }
        },
        allocate: async () => [],
        preferredAllocation: async () => [],
        async preStartContainer() {},
      }),
    });
    const { signal } = new AbortController();
    await manager.registration.register(resource, '/a.sock', ['v1beta1'], signal);
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 1 });
    await manager.registration.deregister(resource, '/a.sock', signal);
    send();
    await expect.poll(() => ended).toBe(true);
    expect(manager.capacity().allocatable).toEqual({ [resource]: 0 });
  });
});

describe('allocation', () => {
  it('gives devices to a container, once, and the plugin specifies what comes with them', async () => {
    const { manager, plugin } = await setUp({ allocate: (ids) => ({ envs: { GPUS: ids.join() }, cdiDevices: [{ name: 'v/gpu=1' }] }) });
    const pod = podOf('u1', [container('c', 2)]);
    active = [pod];
    await manager.allocate(pod, container('c', 2), noHint);
    await manager.allocate(pod, container('c', 2), noHint);
    expect(called(plugin, 'allocate')).toEqual([['a', 'b']]);
    expect(manager.devices('u1', 'c')).toEqual({ [resource]: { [-1]: ['a', 'b'] } });
    expect(manager.devicesInUse('u1')).toEqual({ [resource]: 2 });
    expect(await manager.deviceOptions(pod, container('c', 2))).toEqual({
      environment: { GPUS: 'a,b' },
      mounts: [],
      devices: [],
      annotations: {},
      cdiDevices: [{ name: 'v/gpu=1' }],
    });
    await expect(manager.allocate(pod, container('c', 1), noHint)).rejects.toMatchObject({
      code: 'DeviceAllocationFailed',
      message: `pod "u1" container "c" changed request for resource "${resource}" from 2 to 1`,
    });
  });

  it('takes devices on the NUMA nodes of the hint first, those that the plugin prefers before others', async () => {
    const devices = [0, 1, 1, 1].map((node, index) => ({ id: `d${index}`, numaNodes: [node] }));
    const { manager, plugin } = await setUp({ devices, prefer: (available) => [...available].reverse().slice(0, 1) });
    const pod = podOf('u1', [container('c', 1)]);
    active = [pod];
    expect(manager.getTopologyHints(pod, container('c', 2))).toEqual({
      [resource]: [
        { numaNodes: [1], preferred: true },
        { numaNodes: [0, 1], preferred: false },
      ],
    });
    await manager.allocate(pod, container('c', 1), { numaNodes: [1], preferred: true });
    expect(manager.devices('u1', 'c')).toEqual({ [resource]: { 1: ['d3'] } });
    expect(called(plugin, 'getPreferredAllocation')).toEqual([[]]);
    expect(manager.getTopologyHints(pod, container('c', 1))).toEqual({
      [resource]: [
        { numaNodes: [1], preferred: true },
        { numaNodes: [0, 1], preferred: false },
      ],
    });
    expect(manager.getTopologyHints(pod, container('c', 3))).toEqual({ [resource]: [] });
    expect(manager.getPodTopologyHints(podOf('u2', [container('c', 4)]))).toEqual({ [resource]: [] });
  });

  it('has no opinion on the NUMA nodes of devices without topology', async () => {
    const { manager } = await setUp();
    const pod = podOf('u1', [container('c', 1)]);
    expect([manager.getTopologyHints(pod, container('c', 1)), manager.getPodTopologyHints(pod)]).toEqual([
      { [resource]: null },
      { [resource]: null },
    ]);
  });

  it('lets containers reuse the devices of init containers, but not those of sidecars', async () => {
    const { manager } = await setUp();
    const [sidecar, init, main] = [container('sidecar', 1, { restartPolicy: 'Always' }), container('init', 1), container('main', 2)];
    const pod = podOf('u1', [main], [sidecar, init]);
    active = [pod];
    for (const each of [sidecar, init, main]) await manager.allocate(pod, each, noHint);
    expect(['sidecar', 'init', 'main'].map((name) => idsOf(manager.devices('u1', name)))).toEqual([['a'], ['b'], ['b', 'c']]);
  });

  it('releases the devices of pods that are no longer active, once all sources are ready', async () => {
    let isReady = false;
    const { manager } = await setUp({}, { sourcesReady: () => isReady });
    await manager.allocate(podOf('old', [container('c', 3)]), container('c', 3), noHint);
    const pod = podOf('new', [container('c', 1)]);
    await expect(manager.allocate(pod, container('c', 1), noHint)).rejects.toThrow(
      `requested number of devices unavailable for ${resource}. Requested: 1, Available: 0`,
    );
    isReady = true;
    await manager.allocate(pod, container('c', 1), noHint);
    expect([idsOf(manager.devices('old', 'c')), idsOf(manager.devices('new', 'c'))]).toEqual([[], ['a']]);
  });

  it('releases the devices of a removed pod only once its containers have stopped', async () => {
    let mayRun = true;
    const { manager } = await setUp({}, { couldHaveRunningContainers: () => mayRun });
    await manager.allocate(podOf('old', [container('c', 3)]), container('c', 3), noHint);
    const pod = podOf('new', [container('c', 1)]);
    await expect(manager.allocate(pod, container('c', 1), noHint)).rejects.toThrow('requested number of devices unavailable');
    mayRun = false;
    await manager.allocate(pod, container('c', 1), noHint);
    expect([idsOf(manager.devices('old', 'c')), idsOf(manager.devices('new', 'c'))]).toEqual([[], ['a']]);
  });

  it('reaches plugins and keeps its checkpoint through ports, without sockets and files', async () => {
    let saved: string | undefined;
    let closed = 0;
    const connection: DevicePluginConnection = {
      options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
      async *listAndWatch(signal) {
        yield [{ id: 'a', health: 'Healthy', numaNodes: null }];
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      },
      allocate: async () => [{ envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] }],
      preferredAllocation: async () => [],
      async preStartContainer() {},
    };
    const ports: Partial<DeviceManagerOptions> = {
      pluginDir: '/missing/device-plugins',
      async listen(connectPlugin) {
        await connectPlugin(resource, '/missing/plugin.sock', new AbortController().signal);
        return { close: async () => void closed++ };
      },
      connect: () => connection,
      store: {
        load: async () => saved,
        async save(text) {
          saved = text;
        },
      },
    };
    active = [podOf('u1', [container('c', 1)])];
    const first = await startManager(ports);
    await expect.poll(() => first.capacity().capacity[resource]).toBe(1);
    await first.allocate(podOf('u1', [container('c', 1)]), container('c', 1), noHint);
    await first.stop();
    const second = await startManager(ports);
    expect(idsOf(second.devices('u1', 'c'))).toEqual(['a']);
    await second.stop();
    expect(closed).toBe(2);
  });

  it('resolves once the checkpoint has the devices, however long its save takes', async () => {
    const slow = slowStore();
    const { allocated, ...ports } = memoryPlugin('a', 'b', 'c');
    const manager = await startManager({ ...ports, store: slow.store });
    const pod = podOf('u1', [container('c', 2)]);
    active = [pod];
    await expect.poll(() => manager.capacity().capacity[resource]).toBe(3);
    slow.hold();
    cleanup.push(async () => slow.release());
    let isDone = false;
    const allocation = manager.allocate(pod, container('c', 2), noHint).then(() => {
      isDone = true;
    });
    await expect.poll(() => savedIds(slow.saving)).toEqual(['a', 'b']);
    await new Promise((resolve) => setImmediate(resolve));
    expect([allocated, isDone, savedIds(slow.saved)]).toEqual([[['a', 'b']], false, []]);
    slow.release();
    await allocation;
    expect(savedIds(slow.saved)).toEqual(['a', 'b']);
  });

  it('that was not saved before a kill gives no device twice', async () => {
    const slow = slowStore();
    const { allocated: _, ...ports } = memoryPlugin('a', 'b', 'c');
    const killed = await startManager({ ...ports, store: slow.store });
    const [saved, lost, other] = [
      podOf('saved', [container('c', 1)]),
      podOf('lost', [container('c', 1)]),
      podOf('other', [container('c', 1)]),
    ];
    active = [saved, lost];
    await expect.poll(() => killed.capacity().capacity[resource]).toBe(3);
    await killed.allocate(saved, container('c', 1), noHint);
    slow.hold();
    cleanup.push(async () => slow.release());
    let isGiven = false;
    void killed.allocate(lost, container('c', 1), noHint).then(() => {
      isGiven = true;
    });
    await expect.poll(() => savedIds(slow.saving)).toEqual(['a', 'b']);

    const next = await startManager({ ...ports, store: { load: async () => slow.saved, save: async () => {} } });
    active = [saved, other];
    await expect.poll(() => next.capacity().allocatable[resource]).toBe(3);
    await next.allocate(other, container('c', 1), noHint);
    const given = ['saved', 'lost', 'other'].map((uid) => idsOf(next.devices(uid, 'c')));
    expect([isGiven, given]).toEqual([false, [['a'], [], ['b']]]);
  });

  it('gives no device twice to containers that start at the same time, while the plugin answers', async () => {
    const answers: (() => void)[] = [];
    const chosen: string[][] = [];
    const { allocated: _, connect, ...ports } = memoryPlugin('a', 'b', 'c');
    const slow = (): Promise<void> => new Promise((resolve) => answers.push(resolve));
    const manager = await startManager({
      ...ports,
      store: { load: async () => undefined, save: async () => {} },
      connect: (socketPath) => ({
        ...(connect?.(socketPath) as DevicePluginConnection),
        options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: true }),
        async preferredAllocation(available, _mustInclude, size) {
          await slow();
          return [...available].slice(0, size);
        },
        async allocate(ids) {
          chosen.push([...ids]);
          await slow();
          return [{ envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] }];
        },
      }),
    });
    const pods = [podOf('first', [container('c', 1)]), podOf('second', [container('c', 1)])];
    active = pods;
    await expect.poll(() => manager.capacity().capacity[resource]).toBe(3);
    const allocations = Promise.all(pods.map((pod) => manager.allocate(pod, container('c', 1), noHint)));
    await expect.poll(() => answers.splice(0).map((answer) => answer()).length + chosen.length).toBe(2);
    // The first one waits for Allocate: its device is not free.
    expect(manager.explain().resources[0]?.devices.map(({ canBeAllocated }) => canBeAllocated)).toEqual([false, true, true]);
    const answering = setInterval(() => answers.splice(0).forEach((answer) => void answer()), 1);
    cleanup.push(async () => clearInterval(answering));
    await allocations;
    expect(chosen).toEqual([['a'], ['b']]);
  });

  it('is refused if the checkpoint cannot be written', async () => {
    let isFull = false;
    const save = async () => {
      if (isFull) throw new Error('no space left on device');
    };
    const { manager } = await setUp({}, { store: { load: async () => undefined, save } });
    isFull = true;
    const pod = podOf('u1', [container('c', 1)]);
    await expect(manager.allocate(pod, container('c', 1), noHint)).rejects.toMatchObject({
      code: 'DeviceAllocationFailed',
      message: 'failed to write the checkpoint of the device manager: no space left on device',
    });
    isFull = false;
    active = [podOf('u2', [container('c', 3)])];
    await manager.allocate(podOf('u2', [container('c', 3)]), container('c', 3), noHint);
    expect(idsOf(manager.devices('u2', 'c'))).toEqual(['a', 'b', 'c']);
  });

  it('does not let containers reuse the devices of regular containers', async () => {
    const { manager } = await setUp();
    const [first, second] = [container('first', 1), container('second', 1)];
    const pod = podOf('u1', [first, second]);
    active = [pod];
    for (const each of [first, second]) await manager.allocate(pod, each, noHint);
    expect(['first', 'second'].map((name) => idsOf(manager.devices('u1', name)))).toEqual([['a'], ['b']]);
  });

  it('leaves extended resources to the resource claim that provides them', async () => {
    const { manager, plugin } = await setUp();
    const requestMappings = [{ containerName: 'c', resourceName: resource, requestName: 'r' }];
    const pod: Pod = { ...podOf('u1', [container('c', 1)]), status: { extendedResourceClaimStatus: { requestMappings } } };
    await manager.allocate(pod, container('c', 1), noHint);
    expect(called(plugin, 'allocate')).toEqual([]);
  });

  it('calls PreStartContainer of a plugin that requires it, and allocates again for an active pod without a record', async () => {
    const { manager, plugin } = await setUp({ preStartRequired: true });
    const pod = podOf('u1', [container('c', 1)]);
    await expect(manager.deviceOptions(pod, container('c', 1))).rejects.toThrow(
      `no devices found allocated in local cache for pod u1, container c, resource ${resource}`,
    );
    await manager.allocate(pod, container('c', 1), noHint);
    await manager.deviceOptions(pod, container('c', 1));
    expect(called(plugin, 'preStartContainer')).toEqual([['a']]);
    plugin.fail('preStartContainer', { status: 'Internal', message: 'no firmware' });
    await expect(manager.deviceOptions(pod, container('c', 1))).rejects.toThrow(
      'device plugin PreStartContainer rpc failed with err: rpc error: code = Internal desc = no firmware',
    );
  });
});

describe('a restart of the agent', () => {
  it('keeps the devices of containers, and their resources without devices until plugins register', async () => {
    const first = await setUp();
    const pod = podOf('u1', [container('c', 2)]);
    active = [pod];
    await first.manager.allocate(pod, container('c', 2), noHint);
    await first.manager.stop();

    let isReady = false;
    const clock = createVirtualClock();
    const manager = await startManager({ clock, sourcesReady: () => isReady, wasRunning: (uid, name) => uid === 'u1' && name === 'c' });
    expect(manager.capacity()).toEqual({ capacity: { [resource]: 0 }, allocatable: { [resource]: 0 }, deleted: [] });
    expect(idsOf(manager.devices('u1', 'c'))).toEqual(['a', 'b']);
    await manager.allocate(pod, container('c', 2), noHint);
    isReady = true;
    await expect(manager.allocate(pod, container('c', 2), noHint)).rejects.toThrow(
      `no healthy devices present; cannot allocate unhealthy devices ${resource}`,
    );
    await first.plugin.start();
    await first.plugin.register();
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 3 });
    await manager.allocate(pod, container('c', 2), noHint);
    expect(called(first.plugin, 'allocate')).toHaveLength(1);
    expect((await manager.deviceOptions(pod, container('c', 2))).devices.map(({ hostPath }) => hostPath)).toEqual(['/dev/a', '/dev/b']);
  });

  it('finds the node new until it has saved a checkpoint', async () => {
    const { manager, plugin } = await setUp();
    await manager.stop();
    await plugin.stop();
    expect(manager.shouldResetExtendedResources()).toBe(false);
    expect((await startManager()).shouldResetExtendedResources()).toBe(false);
    expect((await startManager({ pluginDir: join(pluginDir, 'new') })).shouldResetExtendedResources()).toBe(true);
  });

  it('continues without a corrupt checkpoint', async () => {
    writeFileSync(join(pluginDir, 'kubelet_internal_checkpoint'), '{"Data":{}}');
    const logger = createRecordingLogger();
    const manager = await startManager({ logger });
    expect([manager.capacity().capacity, manager.shouldResetExtendedResources()]).toEqual([{}, false]);
    expect(logger.messages('error')).toEqual([
      'continue after failing to read checkpoint file: device allocation info may NOT be up-to-date',
    ]);
    expect(existsSync(join(pluginDir, 'kubelet_internal_checkpoint.broken'))).toBe(true);
  });
});

describe('a faulty plugin', () => {
  const pod = podOf('u1', [container('c', 1)]);
  const allocates = async (manager: Awaited<ReturnType<typeof startManager>>) => {
    await manager.allocate(pod, container('c', 1), noHint);
    return idsOf(manager.devices('u1', 'c'));
  };

  it('that fails or responds with nonsense refuses the container and keeps no device', async () => {
    const { manager, plugin } = await setUp({ prefer: () => ['unknown', 'b'] });
    plugin.fail('allocate', { status: 'Internal', message: 'no power' });
    await expect(allocates(manager)).rejects.toThrow('rpc error: code = Internal desc = no power');
    plugin.fail('allocate', { empty: true });
    await expect(allocates(manager)).rejects.toThrow('no containers return in allocation response');
    plugin.fail('getPreferredAllocation', { status: 'Unknown', message: 'no idea' });
    await expect(allocates(manager)).rejects.toThrow('device plugin GetPreferredAllocation rpc failed with err: rpc error: code = Unknown');
    expect(await allocates(manager)).toEqual(['b']);
  });

  it('that dies in Allocate refuses the container, and its devices are unhealthy', async () => {
    const { manager, plugin } = await setUp();
    plugin.fail('allocate', { crash: true });
    await expect(allocates(manager)).rejects.toMatchObject({ code: 'DeviceAllocationFailed' });
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 0 });
    await plugin.start();
    await plugin.register();
    await expect.poll(() => manager.capacity().allocatable).toEqual({ [resource]: 3 });
    expect(await allocates(manager)).toEqual(['a']);
  });

  it('that hangs in Allocate is given up after the timeout, and does not delay a stop', async () => {
    const clock = createVirtualClock();
    const { manager, plugin } = await setUp({}, { clock, allocateTimeoutMs: 60_000 });
    plugin.fail('allocate', { hang: true });
    const hanging = allocates(manager).catch((error: Error) => error.message);
    await expect.poll(() => called(plugin, 'allocate')).toHaveLength(1);
    await clock.advance(60_000);
    expect(await hanging).toBe(`the device plugin of ${resource} did not respond within 60 s`);
    plugin.fail('allocate', { hang: true });
    const stopped = allocates(manager).catch((error: Error) => error.message);
    await expect.poll(() => called(plugin, 'allocate')).toHaveLength(2);
    await manager.stop();
    expect(await stopped).toBe('the device manager stops');
  });

  it('that lists a device twice has it once, as it was listed last', async () => {
    const logger = createRecordingLogger();
    const { manager } = await setUp({ devices: [{ id: 'a' }, { id: 'b' }, { id: 'a', health: 'Unhealthy' }] }, { logger });
    expect(manager.capacity()).toEqual({ capacity: { [resource]: 2 }, allocatable: { [resource]: 1 }, deleted: [] });
    expect(logger.messages('warn')).toEqual(['device plugin: two devices have one ID, using the last']);
  });
});

it.each([
  [{ pluginDir: '' }, 'pluginDir'],
  [{ activePods: undefined }, 'activePods'],
  [{ topology: undefined }, 'topology'],
  [{ allocateTimeoutMs: 0 }, 'allocateTimeoutMs'],
])('rejects the option %j', (option, field) => {
  expect(() => createDeviceManager({ pluginDir, topology: { numaNodes }, activePods: () => [], ...option } as never)).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field } }),
  );
});
