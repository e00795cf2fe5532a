import type { Container, Pod } from '@nodeagent/api';
import { createDeviceManager, type DevicePluginConnection } from '@nodeagent/device-manager';

import { createVirtualClock } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';

const resource = 'example.com/gpu';
const numaNodes = [0, 1].map((id) => ({ id, memoryBytes: 1, hugePages: [], distances: [10, 20] }));
const noHint = { numaNodes: null, preferred: false };
const { signal } = new AbortController();

function podWith(count: number): { pod: Pod; container: Container } {
  const container: Container = { name: 'main', image: 'i', resources: { limits: { [resource]: String(count) } } };
  return { pod: { metadata: { name: 'p', namespace: 'default', uid: 'p' }, spec: { containers: [container] } }, container };
}

const honest: DevicePluginConnection = {
  options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: true }),
  async *listAndWatch(until) {
    yield ['a', 'b', 'c'].map((id) => ({ id, health: 'Healthy', numaNodes: null }));
    await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
  },
  allocate: async () => [{ envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] }],
  preferredAllocation: async () => [],
  preStartContainer: async () => {},
};

/** A manager with a plugin that is honest but for what is given. */
async function managerOf(attack: Partial<DevicePluginConnection>) {
  const clock = createVirtualClock();
  let saved: string | undefined;
  const manager = createDeviceManager({
    pluginDir: '/nowhere',
    topology: { numaNodes },
    activePods: () => [],
    clock,
    listen: async () => ({ close: async () => {} }),
    connect: () => ({ ...honest, ...attack }),
    store: {
      load: async () => saved,
      async save(text) {
        saved = text;
      },
    },
  });
  await manager.start();
  onTestFinished(() => manager.stop());
  await manager.registration.register(resource, '/nowhere/x.sock', ['v1beta1'], signal);
  await expect.poll(() => manager.capacity().allocatable[resource]).toBeGreaterThan(0);
  return { manager, clock };
}

it.each([
  'cpu',
  'memory',
  'ephemeral-storage',
  'hugepages-2Mi',
  'kubernetes.io/batch',
  'x.kubernetes.io/y',
  'requests.example.com/gpu',
  '../x',
  '',
])('a plugin cannot register the resource %j in the plugin folder', async (name) => {
  const { manager } = await managerOf({});
  expect(() => manager.registration.validate(name, '/nowhere/x.sock', ['v1beta1'])).toThrow(`the ResourceName "${name}" is invalid`);
});

it('a plugin that lists and prefers 100,000 devices that were not offered blocks the agent for less than a second', async () => {
  const many = Array.from({ length: 100_000 }, (_, each) => ({ id: `device-${each}`, health: 'Healthy', numaNodes: null }));
  const { manager } = await managerOf({
    async *listAndWatch(until) {
      yield many;
      await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
    },
    preferredAllocation: async () => many.map(({ id }) => `../${id}`),
  });
  const { pod, container } = podWith(2);
  const before = process.cpuUsage();
  await manager.allocate(pod, container, noHint);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e3).toBeLessThan(1_000);
  expect(Object.values(manager.devices('p', 'main')[resource] ?? {}).flat()).toEqual(['device-0', 'device-1']);
});

it('a plugin whose devices have NUMA nodes outside of the machine gives hints for nodes of the machine only', async () => {
  const { manager } = await managerOf({
    async *listAndWatch(until) {
      yield [-5, 2 ** 63, 7, 1].map((node, each) => ({ id: `${each}`, health: 'Healthy', numaNodes: [node] }));
      await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
    },
  });
  const { pod, container } = podWith(1);
  expect(manager.getTopologyHints(pod, container)).toEqual({ [resource]: [{ numaNodes: [1], preferred: true }] });
});

it('a plugin that answers Allocate with nothing, or not at all, fails the pod and leaves its devices to others', async () => {
  let answer: DevicePluginConnection['allocate'] = async () => [];
  const { manager, clock } = await managerOf({ allocate: (ids, until) => answer(ids, until) });
  const { pod, container } = podWith(3);
  await expect(manager.allocate(pod, container, noHint)).rejects.toMatchObject({ code: 'DeviceAllocationFailed' });
  answer = () => new Promise(() => {});
  const hanging = expect(manager.allocate(pod, container, noHint)).rejects.toThrow('did not respond within 300 s');
  await clock.advance(300_000);
  await hanging;
  answer = honest.allocate;
  await manager.allocate(pod, container, noHint);
  expect(Object.values(manager.devices('p', 'main')[resource] ?? {}).flat()).toHaveLength(3);
});

it('a plugin whose answer names __proto__ changes no other object', async () => {
  const envs = JSON.parse('{"__proto__":"polluted","PATH":"/x"}') as Record<string, string>;
  const { manager } = await managerOf({ allocate: async () => [{ envs, mounts: [], devices: [], annotations: envs, cdiDevices: [] }] });
  const { pod, container } = podWith(1);
  await manager.allocate(pod, container, noHint);
  const { environment, annotations } = await manager.deviceOptions(pod, container);
  expect([Object.entries(environment), Object.entries(annotations)]).toEqual([Object.entries(envs), Object.entries(envs)]);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});
