import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { createDeviceTestPlugin, type DeviceTestPlugin } from '@nodeagent/device-manager/test-plugin';
import { callPlugin, podResourcesService } from '@nodeagent/plugin-api';
import { buildPod } from '@nodeagent/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { NodeAgent } from './options/node-agent.js';
import { createTestAgent, type TestAgent } from './test-agent.js';

const resource = 'example.com/gpu';
const gpuPod = (name: string, count = 1): Pod =>
  buildPod({ name, uid: name, containers: [{ name: 'main', image: 'busybox:1', resources: { limits: { [resource]: `${count}` } } }] });

let rootDir: string;
let plugins: DeviceTestPlugin[];
let agents: NodeAgent[];
beforeEach(() => {
  rootDir = mkdtempSync(join(tmpdir(), 'agent-devices-'));
  plugins = [];
  agents = [];
});
afterEach(async () => {
  for (const agent of agents) await agent.stop();
  for (const plugin of plugins) await plugin.stop();
  rmSync(rootDir, { recursive: true, force: true });
});

async function startNode(previous?: TestAgent, pods: Pod[] = []): Promise<TestAgent> {
  const options = { rootDir, settings: { resolvConf: '', devicePlugins: true } };
  const node = previous?.again(pods) ?? createTestAgent(pods, options);
  agents.push(node.agent);
  await node.agent.start();
  return node;
}

async function startPlugin(ids = ['a', 'b']): Promise<DeviceTestPlugin> {
  const devices = ids.map((id) => ({ id }));
  const plugin = createDeviceTestPlugin({ resource, pluginDir: join(rootDir, 'device-plugins'), devices });
  plugins.push(plugin);
  await plugin.start();
  await plugin.register();
  return plugin;
}

/** Advances the clock until the condition holds; plugins respond in real time. */
const eventually = (node: TestAgent, condition: () => unknown) =>
  expect
    .poll(
      async () => {
        await node.clock.advance(100);
        return condition();
      },
      { timeout: 10_000 },
    )
    .toBeTruthy();

const listed = async () =>
  (await callPlugin(join(rootDir, 'pod-resources', 'kubelet.sock'), podResourcesService.getAllocatableResources, {})).devices;
const untilListed = (count: number) => expect.poll(async () => (await listed()).length).toBe(count);

/** The host paths of the devices of all containers that the runtime has created. */
const createdDevices = ({ memory }: TestAgent) =>
  memory.calls
    .filter(({ method }) => method === 'createContainer')
    .map(({ request }) => (request as { config: { devices?: { hostPath: string }[] } }).config.devices?.map(({ hostPath }) => hostPath));

it('gives containers their devices, refuses a pod beyond them, and reports them in the pod resources API', async () => {
  const node = await startNode();
  await startPlugin();
  await untilListed(2);
  node.source.set([gpuPod('p1'), gpuPod('p2')]);
  await eventually(node, () => node.isReady('p1') && node.isReady('p2'));
  expect(createdDevices(node).flat().sort()).toEqual(['/dev/a', '/dev/b']);
  node.source.set([gpuPod('p1'), gpuPod('p2'), gpuPod('p3')]);
  await eventually(node, () => node.phase('p3') === 'Failed');
  expect(node.status('p3')).toMatchObject({
    reason: 'UnexpectedAdmissionError',
    message: `Pod was rejected: Allocate failed due to requested number of devices unavailable for ${resource}. Requested: 1, Available: 0, which is unexpected`,
  });
  const { podResources } = await callPlugin(join(rootDir, 'pod-resources', 'kubelet.sock'), podResourcesService.list, {});
  const held = podResources.flatMap(({ containers }) => containers.flatMap(({ devices }) => devices.flatMap(({ deviceIds }) => deviceIds)));
  expect(held.sort()).toEqual(['a', 'b']);
  const assigned = ['p1', 'p2'].flatMap((uid) => node.agent.podAssignments(uid)?.containers ?? []);
  expect(assigned.flatMap(({ devices }) => devices?.[resource]).sort()).toEqual(['a', 'b']);
  node.source.set([gpuPod('p1')]);
  await eventually(node, () => node.removed.includes('p2'));
  node.source.set([gpuPod('p1'), gpuPod('p4')]);
  await eventually(node, () => node.isReady('p4'));
});

it('reports the health of devices in the status of the container', async () => {
  const node = await startNode();
  const plugin = await startPlugin(['a']);
  await untilListed(1);
  node.source.set([gpuPod('p1')]);
  const health = () => node.status('p1')?.containerStatuses?.[0]?.allocatedResourcesStatus;
  await eventually(node, () => node.isReady('p1') && health());
  expect(health()).toEqual([{ name: resource, resources: [{ resourceID: 'a', health: 'Healthy' }] }]);
  plugin.setDevices([{ id: 'a', health: 'Unhealthy' }]);
  await eventually(node, () => JSON.stringify(health()).includes('Unhealthy'));
  expect(node.agent.devicePlugins()).toMatchObject({
    resources: [{ resource, isConnected: true, devices: [{ id: 'a', health: 'Unhealthy', canBeAllocated: false }] }],
    containers: [{ podUID: 'p1', containerName: 'main', resource, devices: { [-1]: ['a'] } }],
  });
  expect(node.isReady('p1')).toBe(true);
});

it.each([
  [{ status: 'Internal', message: 'no power' } as const, 'rpc error: code = Internal desc = no power'],
  [{ empty: true }, `no containers return in allocation response of ${resource}`],
  [{ crash: true }, 'rpc error'],
  [{ hang: true }, 'did not respond within 300 s'],
])('a plugin that fails in Allocate with %j: the pod is refused and the device stays available', async (fault, problem) => {
  const node = await startNode();
  const plugin = await startPlugin(['a']);
  await untilListed(1);
  plugin.fail('allocate', fault);
  node.source.set([gpuPod('p1')]);
  await expect
    .poll(
      async () => {
        await node.clock.advance(60_000);
        return node.phase('p1');
      },
      { timeout: 10_000 },
    )
    .toBe('Failed');
  expect(node.status('p1')).toMatchObject({ reason: 'UnexpectedAdmissionError', message: expect.stringContaining(problem) });
  if ('crash' in fault) await startPlugin(['a']);
  await untilListed(1);
  node.source.set([gpuPod('p2')]);
  await eventually(node, () => node.isReady('p2'));
});

it('containers keep their devices when the agent and the plugin restart, and a damaged checkpoint stops nothing', async () => {
  const first = await startNode();
  const plugin = await startPlugin(['a']);
  await untilListed(1);
  first.source.set([gpuPod('p1')]);
  await eventually(first, () => first.isReady('p1'));
  await first.agent.stop();
  const second = await startNode(first, [gpuPod('p1')]);
  await eventually(second, () => second.isReady('p1'));
  await plugin.stop();
  await startPlugin(['a']);
  await untilListed(1);
  second.source.set([gpuPod('p1'), gpuPod('p2')]);
  await eventually(second, () => second.phase('p2') === 'Failed');
  expect([second.isReady('p1'), createdDevices(second)]).toEqual([true, [['/dev/a']]]);
  await second.agent.stop();
  writeFileSync(join(rootDir, 'device-plugins', 'kubelet_internal_checkpoint'), 'nonsense');
  const third = await startNode(second, []);
  await startPlugin(['a']);
  await untilListed(1);
  third.source.set([gpuPod('p3')]);
  await eventually(third, () => third.isReady('p3'));
});
