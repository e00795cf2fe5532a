import type { Pod } from '@nodeagent/api';
import { type DevicePluginPorts, loadResourceManagers, machineParts, memoryHost } from '@nodeagent/core/node';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

const cpu = (amount: string) => ({ resources: { requests: { cpu: amount, memory: '64Mi' }, limits: { cpu: amount, memory: '64Mi' } } });

async function running(cluster: TestCluster, ...pods: Pod[]): Promise<void> {
  for (const pod of pods) cluster.apply(pod);
  await cluster.until(() => pods.every(({ metadata }) => cluster.pod(metadata?.name ?? '')?.status?.phase === 'Running'));
}

const restart = async (cluster: TestCluster) => {
  await cluster.node('node-1').restart();
  await cluster.advance('2m');
};

it('keeps a pod whose resize is deferred when its agent restarts', async () => {
  const cluster = await createTestCluster();
  await running(cluster, podOf('a', cpu('1')), podOf('b', cpu('2')));
  const grow = (pod: Pod) => Object.assign(pod.spec?.containers[0] ?? {}, cpu('3'));
  cluster.server.objects.update<Pod>('pods', 'a', grow, { subresource: 'resize' });
  const deferred = () => cluster.pod('a')?.status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason;
  await cluster.until(() => deferred() === 'Deferred');
  await restart(cluster);
  expect(cluster.pod('a')?.status).toMatchObject({ phase: 'Running', containerStatuses: [{ restartCount: 0 }] });
  expect(deferred()).toBe('Deferred');
  expect(cluster.pod('a')?.status?.containerStatuses?.[0]?.allocatedResources).toMatchObject({ cpu: '1' });
  expect(await cluster.stop()).toBe(0);
});

it('gives a private image only to pods with its credentials when its agent restarts', async () => {
  const cluster = await createTestCluster();
  cluster.scriptImage('registry.example/private:1', { pullUser: { username: 'me', password: 'secret' } });
  const auths = { 'registry.example': { username: 'me', password: 'secret' } };
  cluster.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'login' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': btoa(JSON.stringify({ auths })) },
  } as never);
  const image = { image: 'registry.example/private:1', imagePullPolicy: 'IfNotPresent' };
  await running(cluster, podOf('owner', image, { imagePullSecrets: [{ name: 'login' }] }));
  await restart(cluster);
  cluster.apply(podOf('other', image));
  await cluster.advance('1m');
  expect(cluster.pod('other')?.status).toMatchObject({
    phase: 'Pending',
    containerStatuses: [{ state: { waiting: { reason: expect.stringMatching(/^(ErrImagePull|ImagePullBackOff)$/) } } }],
  });
  expect(await cluster.stop()).toBe(0);
});

const gpu = 'example.com/gpu';

/** A plugin of two devices without sockets, which registers with each agent. */
const devicePlugins: DevicePluginPorts = {
  async listen(connectPlugin) {
    void connectPlugin(gpu, '/gpu.sock', new AbortController().signal);
    return { async close() {} };
  },
  connect: () => ({
    options: async () => ({ preStartRequired: false, getPreferredAllocationAvailable: false }),
    async *listAndWatch(signal) {
      yield ['gpu-0', 'gpu-1'].map((id) => ({ id, health: 'Healthy', numaNodes: [] }));
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
    allocate: async () => [{ envs: {}, mounts: [], devices: [], annotations: {}, cdiDevices: [] }],
    preferredAllocation: async () => [],
    async preStartContainer() {},
  }),
};

it('keeps the exclusive CPUs and the devices of its pods when its agent restarts', async () => {
  await loadResourceManagers();
  const { cgroups } = memoryHost();
  const cluster = await createTestCluster({
    node: {
      agent: {
        node: { systemReserved: { cpu: '1' } },
        resourceManagers: { cpuManagerPolicy: 'static' },
        settings: { cgroupsPerQOS: true, devicePlugins: true },
        host: { ...(cgroups && { cgroups }), devicePlugins },
        parts: { devices: machineParts.devices },
      },
    },
  });
  const pinned = (name: string) => {
    const { resources } = cpu('1');
    return podOf(name, { resources: { requests: resources.requests, limits: { ...resources.limits, [gpu]: '1' } } });
  };
  const assigned = (name: string) => cluster.node('node-1').agent.podAssignments(cluster.pod(name)?.metadata?.uid ?? '')?.containers;
  await cluster.until(() => cluster.node('node-1').object()?.status?.allocatable?.[gpu] === '2');
  await running(cluster, pinned('a'));
  const before = assigned('a');
  expect(before).toEqual([{ containerName: 'main', cpus: '1', devices: { [gpu]: ['gpu-0'] } }]);
  await restart(cluster);
  expect(assigned('a')).toEqual(before);
  await running(cluster, pinned('b'));
  expect(assigned('b')).toEqual([{ containerName: 'main', cpus: '2', devices: { [gpu]: ['gpu-1'] } }]);
  expect(await cluster.stop()).toBe(0);
});
