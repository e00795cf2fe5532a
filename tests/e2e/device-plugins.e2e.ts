import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { callPlugin, podResourcesService } from '@nodeagent/plugin-api';
import { expect, it } from 'vitest';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type DevicePluginProcess, startDevicePlugin } from '../support/device-plugin/device-plugin.js';
import { readIfThere } from '../support/if-there.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const resource = 'example.com/gpu';

describeOnRuntimes('device plugins', ['2', '1.6'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime);
  let plugin: DevicePluginProcess | undefined;
  cleanUpAfterAll({ 'the plugin': () => plugin?.kill() });

  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name);
  const nodeStatus = () => cluster.server.objects.get<Node>('nodes', cluster.name)?.status;
  const idOf = (name: string) => get(name)?.status?.containerStatuses?.[0]?.containerID;
  const createPod = (name: string) => {
    const script = 'ls -l /dev/gpu*; echo "visible: $VISIBLE_DEVICES"; cat /etc/gpu/config; trap "exit 0" TERM; sleep infinity & wait $!';
    const limits = { [resource]: '1' };
    cluster.server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          { name: 'main', image: testImage, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script], resources: { limits } },
        ],
      },
    });
  };
  const untilReady = (name: string) => until(`${name} to be ready`, async () => isPodReady(get(name) ?? {}));
  const logOf = (name: string) =>
    readIfThere(join(cluster.work.root, 'logs', `default_${name}_${get(name)?.metadata?.uid}`, 'main', '0.log'));
  const start = async (endpoint: string) => {
    const folder = join(cluster.work.dir, 'gpu');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config'), 'mode: fast\n');
    const pluginDir = join(cluster.work.root, 'device-plugins');
    plugin = await startDevicePlugin({ resource, pluginDir, endpoint, folder, device: '/dev/zero' });
  };
  const untilAllocatable = (count: string) =>
    until(`the node to offer ${count} devices`, async () => nodeStatus()?.allocatable?.[resource] === count);
  /** Device ids by pod, from the pod resources API. */
  const assigned = async () => {
    const { podResources } = await callPlugin(join(cluster.work.root, 'pod-resources', 'kubelet.sock'), podResourcesService.list, {});
    return Object.fromEntries(
      podResources.map(({ name, containers }) => [
        name,
        containers.flatMap(({ devices }) => devices.flatMap(({ deviceIds }) => deviceIds)),
      ]),
    );
  };

  it('give containers devices, variables and mounts; restarts of plugin and agent keep the assignment', async () => {
    await start('one.sock');
    await untilAllocatable('2');
    expect(nodeStatus()?.capacity?.[resource]).toBe('2');
    createPod('first');
    await untilReady('first');
    const before = await assigned();
    const [device = ''] = before.first ?? [];
    expect(['gpu0', 'gpu1']).toContain(device);
    await until('the output of the container', async () => logOf('first').includes('mode: fast'));
    expect(logOf('first')).toMatch(new RegExp(`crw.* 1, +5 .*/dev/${device}\n`));
    expect(logOf('first')).toContain(`visible: ${device}`);
    expect(get('first')?.status?.containerStatuses?.[0]?.allocatedResourcesStatus).toEqual([
      { name: resource, resources: [{ resourceID: device, health: 'Healthy' }] },
    ]);

    const id = idOf('first');
    await plugin?.kill();
    await untilAllocatable('0');
    await start('two.sock');
    await untilAllocatable('2');
    await cluster.agent.end('SIGKILL');
    await plugin?.kill();
    cluster.restart();
    await until(
      'the agent to serve the assignment',
      async () => (await assigned().catch(() => ({}) as typeof before)).first?.[0] === device,
    );
    await start('three.sock');
    await untilAllocatable('2');
    createPod('second');
    await untilReady('second');
    const after = await assigned();
    expect([...(after.first ?? []), ...(after.second ?? [])].sort()).toEqual(['gpu0', 'gpu1']);
    expect([idOf('first'), isPodReady(get('first') ?? {})]).toEqual([id, true]);
  });
});
