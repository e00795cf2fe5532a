import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersistentVolume, PersistentVolumeClaim, Pod, VolumeNode } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import { createCsi } from '@nodeagent/csi/node';
import { createCsiTestDriver } from '@nodeagent/csi/test-driver';
import { createPluginManager, pluginFolder } from '@nodeagent/plugin-manager';
import { buildPod } from '@nodeagent/testing';
import { createVolumeManager } from '@nodeagent/volume-manager';
import { expect, it, onTestFinished } from 'vitest';

const driverName = 'disks.example.com';
const { signal } = new AbortController();
const eventually = <T>(read: () => T) => expect.poll(read);

const volume: PersistentVolume = {
  metadata: { name: 'pv-1', uid: 'pv-uid' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    volumeMode: 'Filesystem',
    claimRef: { namespace: 'default', name: 'data', uid: 'claim-uid' },
    csi: { driver: driverName, volumeHandle: 'vol-1' },
  },
  status: { phase: 'Bound' },
};
const claim: PersistentVolumeClaim = {
  metadata: { namespace: 'default', name: 'data', uid: 'claim-uid' },
  spec: { accessModes: ['ReadWriteOnce'], volumeName: 'pv-1' },
  status: { phase: 'Bound', capacity: { storage: '1Gi' } },
};

/** An agent's part of volumes over a folder and a driver that outlive it. */
async function agent(root: string, driver: ReturnType<typeof createCsiTestDriver>, pods: Pod[]) {
  const csi = createCsi({ rootDir: root, nodeName: 'n', isMountPoint: async (path) => driver.isMountPoint(path) });
  const plugins = createPluginManager({ folder: pluginFolder(join(root, 'plugins_registry')), handlers: { CSIPlugin: csi.registration } });
  const node: Partial<VolumeNode> = {
    list: (path) => readdir(path).catch(() => []),
    cleanSubPaths: async () => {},
    mountRefs: async (path) => [...driver.published.keys()].filter((target) => target !== path && driver.staged.has(path)),
  };
  const ended = new Set<string>();
  // Pod workers report an unknown pod as removed once all sources are ready.
  const isEnded = (uid: string) => ended.has(uid) || !pods.some((pod) => podUid(pod) === uid);
  const manager = createVolumeManager({
    plugins: [csi.plugin],
    node: node as VolumeNode,
    rootDir: root,
    nodeName: 'n',
    pods: () => pods,
    podStates: { shouldPodContainersBeTerminating: isEnded, shouldPodRuntimeBeRemoved: isEnded },
    sourcesReady: () => true,
    claims: { get: async () => claim },
    persistentVolumes: { get: async () => volume },
  });
  await csi.start();
  await plugins.start();
  await manager.start();
  const stop = async () => {
    await manager.stop();
    await plugins.stop();
    await csi.stop();
  };
  onTestFinished(stop);
  return { manager, stop, end: (pod: Pod) => ended.add(pod.metadata?.uid ?? '') };
}

async function setUp() {
  const root = mkdtempSync(join(tmpdir(), 'csi-lifecycle-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const registry = join(root, 'plugins_registry');
  mkdirSync(registry);
  const driver = createCsiTestDriver({ name: driverName, registrationSocket: join(registry, 'd.sock'), socket: join(root, 'csi.sock') });
  await driver.start();
  onTestFinished(() => driver.stop());
  const pod = buildPod({
    name: 'web',
    uid: 'u1',
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
    containers: [{ name: 'main', image: 'busybox:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
  });
  return { root, driver, pod };
}

it('mounts a volume with a driver that fails at first, and unmounts it after the pod has terminated', async () => {
  const { root, driver, pod } = await setUp();
  driver.fail('nodeStageVolume', { status: 'Internal' });
  driver.fail('nodePublishVolume', { status: 'Unavailable', afterwards: true });
  const { manager, end } = await agent(root, driver, [pod]);
  await manager.waitForAttachAndMount(pod, signal);
  const path = join(root, 'pods/u1/volumes/kubernetes.io~csi/pv-1/mount');
  expect(manager.getMountedVolumesForPod('u1').get('data')).toMatchObject({ hostPath: path, readOnly: false });
  expect([...driver.published]).toEqual([[path, 'vol-1']]);
  end(pod);
  await manager.waitForUnmount(pod, signal);
  await eventually(() => [...driver.published, ...driver.staged]).toEqual([]);
  await eventually(() => readdirSync(join(root, 'plugins/kubernetes.io/csi', driverName))).toEqual([]);
});

it('unmounts volumes of the previous run for a removed pod', async () => {
  const { root, driver, pod } = await setUp();
  const first = await agent(root, driver, [pod]);
  await first.manager.waitForAttachAndMount(pod, signal);
  await first.stop();
  expect(driver.published.size).toBe(1);

  await agent(root, driver, []);
  await eventually(() => [...driver.published, ...driver.staged]).toEqual([]);
  await eventually(() => existsSync(join(root, 'pods/u1/volumes/kubernetes.io~csi/pv-1'))).toBe(false);
});
