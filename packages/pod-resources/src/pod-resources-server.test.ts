import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metrics, Pod } from '@nodeagent/api';
import { callPlugin, podResourcesAlphaService, podResourcesService } from '@nodeagent/plugin-api';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPodResourcesServer, type PodResourcesServerOptions } from './pod-resources-server.js';

const { list, get, getAllocatableResources } = podResourcesService;
const call = { timeoutMs: 10_000 };

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: { initContainers: [{ name: 'init' }, { name: 'sidecar', restartPolicy: 'Always' }], containers: [{ name: 'app' }] },
};

let folder: string;
let socketPath: string;
let stop: () => Promise<void>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pod-resources-'));
  socketPath = join(folder, 'pod-resources', 'kubelet.sock');
});
afterEach(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

async function start(options: Partial<PodResourcesServerOptions> = {}) {
  const server = createPodResourcesServer({ socketPath, activePods: () => [pod], ...options });
  stop = () => server.stop();
  await server.start();
  return server;
}

const providers: Partial<PodResourcesServerOptions> = {
  devices: {
    devices: (_, name): Record<string, Record<number, string[]>> =>
      name === 'app' ? { 'v/gpu': { 0: ['a', 'b'], 1: ['b'] }, 'v/nic': { [-1]: ['n'] } } : {},
    allocatableDevices: () => ({ 'v/gpu': [{ id: 'a', numaNodes: [0] }], 'v/nic': [{ id: 'n', numaNodes: null }] }),
  },
  cpus: { exclusiveCpus: (_, name) => (name === 'app' ? [0, 4] : []), allocatableCpus: () => [0, 1, 4, 5] },
  memory: {
    memory: (_, name) => (name === 'app' ? [{ numaAffinity: [0, 1], type: 'memory', size: 2 ** 40 }] : []),
    allocatableMemory: () => [{ numaAffinity: [1], type: 'hugepages-2Mi', size: 2 ** 21 }],
  },
  dynamicResources: (_, { name }) => (name === 'app' ? [{ claimName: 'c', claimNamespace: 'default', claimResources: [] }] : []),
};

const topology = (...nodes: bigint[]) => ({ nodes: nodes.map((ID) => ({ ID })) });
const listed = {
  name: 'web',
  namespace: 'default',
  containers: [
    { name: 'sidecar', devices: [], cpuIds: [], memory: [], dynamicResources: [] },
    {
      name: 'app',
      devices: [
        { resourceName: 'v/nic', deviceIds: ['n'] },
        { resourceName: 'v/gpu', deviceIds: ['a'], topology: topology(0n) },
        { resourceName: 'v/gpu', deviceIds: ['b'], topology: topology(0n) },
        { resourceName: 'v/gpu', deviceIds: ['b'], topology: topology(1n) },
      ],
      cpuIds: [0n, 4n],
      memory: [{ memoryType: 'memory', size: 2n ** 40n, topology: topology(0n, 1n) }],
      dynamicResources: [{ claimName: 'c', claimNamespace: 'default', claimResources: [] }],
    },
  ],
};
const sorted = (resources: typeof listed | undefined) => ({
  ...resources,
  containers: resources?.containers.map((each) => ({
    ...each,
    devices: [...each.devices].sort((a, b) => (a.resourceName > b.resourceName ? -1 : 1)),
  })),
});

it('lists the resources of sidecars and containers', async () => {
  await start(providers);
  expect(statSync(join(folder, 'pod-resources')).mode & 0o777).toBe(0o750);
  const { podResources } = await callPlugin(socketPath, list, {}, call);
  expect(podResources.map((each) => sorted(each as typeof listed))).toEqual([listed]);
  const { podResources: one } = await callPlugin(socketPath, get, { podName: 'web', podNamespace: 'default' }, call);
  expect(sorted(one as typeof listed)).toEqual(listed);
  const alpha = await callPlugin(socketPath, podResourcesAlphaService.list, {}, call);
  expect(alpha.podResources[0]?.containers[1]?.devices).toContainEqual({ resourceName: 'v/nic', deviceIds: ['n'] });
});

it('lists what containers can get', async () => {
  await start(providers);
  expect(await callPlugin(socketPath, getAllocatableResources, {}, call)).toEqual({
    devices: [
      { resourceName: 'v/gpu', deviceIds: ['a'], topology: topology(0n) },
      { resourceName: 'v/nic', deviceIds: ['n'] },
    ],
    cpuIds: [0n, 1n, 4n, 5n],
    memory: [{ memoryType: 'hugepages-2Mi', size: 2n ** 21n, topology: topology(1n) }],
  });
});

it('counts requests and errors', async () => {
  const counts: string[] = [];
  const counter: Metrics['counter'] = ({ name }) => ({
    inc: (labels) => void counts.push(`${name.replace('kubelet_pod_resources_endpoint_', '')} ${labels?.server_api_version}`),
  });
  await start({ metrics: { counter, gauge: () => ({ set() {} }), histogram: () => ({ observe() {} }) } });
  await expect(callPlugin(socketPath, get, { podName: 'db', podNamespace: 'default' }, call)).rejects.toThrow(
    'pod db in namespace default not found',
  );
  expect(counts).toEqual(['requests_total v1', 'requests_get v1', 'errors_get v1']);
});

it('accepts 10 requests at once, and 100 in a second', async () => {
  const clock = createVirtualClock();
  await start({ clock, activePods: () => [] });
  const passed = async (count: number) => {
    const results = await Promise.allSettled(Array.from({ length: count }, () => callPlugin(socketPath, list, {}, call)));
    const refusals = results.flatMap((result) => (result.status === 'rejected' ? [(result.reason as Error).message] : []));
    expect(new Set(refusals)).toEqual(
      new Set(refusals.length > 0 ? ['rpc error: code = ResourceExhausted desc = rejected by rate limit'] : []),
    );
    return count - refusals.length;
  };
  expect(await passed(12)).toBe(10);
  await clock.advance(20);
  expect(await passed(3)).toBe(2);
});

it('replaces a stale socket, stops and starts again', async () => {
  const server = await start();
  await server.start();
  await server.stop();
  await server.stop();
  await expect(callPlugin(socketPath, list, {}, call)).rejects.toMatchObject({ code: 'PluginCallFailed' });
  writeFileSync(socketPath, '');
  await server.start();
  expect((await callPlugin(socketPath, list, {}, call)).podResources).toHaveLength(1);
});

it.each([
  [{ socketPath: '' }, 'socketPath'],
  [{ activePods: undefined }, 'activePods'],
])('rejects the option %j', (option, field) => {
  stop = async () => {};
  expect(() => createPodResourcesServer({ socketPath, activePods: () => [], ...option } as never)).toThrow(
    expect.objectContaining({ code: 'InvalidOption', details: { field } }),
  );
});
