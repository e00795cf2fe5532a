import type { Pod, VolumePlugin } from '@nodeagent/api';
import { specName } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createFakeDisk, fakeCluster, fakeNode, fakePlugins, never, podWith, remotePlugin, setUpWith } from '../test-harness.js';

const seLinuxFileLabel = 'system_u:object_r:container_file_t:s0';
const labelOf = (level: string) => `system_u:object_r:container_file_t:${level}`;

function labelled(uid: string, level: string): Pod {
  const pod = podWith(uid, ['claim:data']);
  return { ...pod, spec: { ...pod.spec, containers: pod.spec?.containers ?? [], securityContext: { seLinuxOptions: { level } } } };
}

/** A manager for a `ReadWriteOncePod` volume; the fake disk records the label of the mount. */
function setUp(disk = createFakeDisk()) {
  const clock = createVirtualClock();
  const cluster = fakeCluster();
  const name = `${remotePlugin}/pv-data`;
  cluster.attached.add(name);
  const { plugins, calls } = fakePlugins(disk, clock, () => 'done');
  const labels: string[] = [];
  const remember =
    (plugin: VolumePlugin): VolumePlugin['mounter'] =>
    async (spec, pod) => {
      const mounter = await plugin.mounter(spec, pod);
      return {
        ...mounter,
        async setUp(options) {
          await mounter.setUp(options);
          labels.push(`pod ${options.seLinuxLabel}`);
          const known = { ...spec, seLinuxLabel: options.seLinuxLabel ?? '' };
          disk.mounts.set(mounter.path, known);
          disk.devices.set(specName(spec), known);
        },
      };
    };
  const agent = setUpWith({
    clock,
    cluster,
    disk,
    node: fakeNode(disk),
    plugins: plugins.map((plugin) => ({ ...plugin, supportsSELinuxContext: () => true, mounter: remember(plugin) })),
    persistentVolumes: {
      async get(key) {
        const volume = await cluster.persistentVolumes.get(key);
        return { ...volume, spec: { ...volume.spec, accessModes: ['ReadWriteOncePod'] } };
      },
    },
    seLinuxFileLabel,
  });
  const mounted = async (pod: Pod) => {
    const waiting = agent.outcome(agent.manager.waitForAttachAndMount(pod, never));
    await clock.settle();
    agent.manager.markVolumesAsReportedInUse([name]);
    return waiting;
  };
  return { ...agent, calls, labels, mounted };
}

it('mounts a ReadWriteOncePod volume with the label of its containers, and again for a pod with another label', async () => {
  const { manager, add, mounted, ended, labels, calls, outcome } = setUp();
  const [first, second] = [labelled('p1', 's0:c1,c2'), labelled('p2', 's0:c3,c4')];
  await manager.start();
  add(first);
  expect(await mounted(first)).toBe('ok');
  add(second);
  expect(await mounted(second)).toContain(
    `conflicting SELinux labels of volume pv-data: "${labelOf('s0:c1,c2')}" and "${labelOf('s0:c3,c4')}"`,
  );
  ended.add('p1');
  manager.podsChanged();
  expect(await outcome(manager.waitForUnmount(first, never))).toBe('ok');
  expect(await mounted(second)).toBe('ok');
  expect(labels).toEqual([`pod ${labelOf('s0:c1,c2')}`, `pod ${labelOf('s0:c3,c4')}`]);
  expect(calls.filter((call) => call.includes('mountDevice') || call.includes('unmountDevice'))).toEqual([
    'mountDevice pv-data',
    'unmountDevice pv-data',
    'mountDevice pv-data',
  ]);
  await manager.stop();
});

it('after a restart unmounts a volume with another label first, while the pod waits', async () => {
  const disk = createFakeDisk();
  const before = setUp(disk);
  await before.manager.start();
  const pod = labelled('p1', 's0:c1,c2');
  before.add(pod);
  expect(await before.mounted(pod)).toBe('ok');
  await before.manager.stop();

  const { manager, add, mounted, labels, calls } = setUp(disk);
  await manager.start();
  const other = labelled('p1', 's0:c3,c4');
  add(other);
  let result = '';
  for (let syncs = 0; syncs < 10 && result !== 'ok'; syncs++) result = await mounted(other);
  expect(result).toBe('ok');
  expect(labels).toEqual([`pod ${labelOf('s0:c3,c4')}`]);
  expect(calls.map((call) => call.split(' ')[0])).toEqual(['tearDown', 'unmountDevice', 'mountDevice', 'setUp']);
  await manager.stop();
});
