import { setMaxListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pod, Volume, VolumePlugin } from '@nodeagent/api';
import { podUid, specName, volumePaths } from '@nodeagent/api/helpers';
import { createFakeMounter, createVolumeMeter, createVolumeNode } from '@nodeagent/mount-utils';
import { createVolumeManager, type VolumeManagerOptions } from '@nodeagent/volume-manager';
import {
  createActualState,
  createDesiredState,
  createPluginRegistry,
  devicesToUnmount,
  volumesToMount,
  volumesToUnmount,
} from '@nodeagent/volume-manager/decisions';
import { createMemoryVolumes } from '@nodeagent/volume-plugins';
import { createVolumePlugins } from '@nodeagent/volume-plugins/node';

const podCount = 500;
const volumeCount = 4;
const paths = volumePaths('/var/lib/agent');

/** The time to mount a full node's volumes without mount latency, and the cost of a pass without changes. */
export async function benchVolumes(report: (line: string) => void): Promise<void> {
  report(`volumes: mount ${podCount} pods of ${volumeCount} volumes: ${await costOf(() => mountAll({ plugins: [plugin], node }))}`);
  report(`volumes: the same as files, with mounts that take no time: ${await mountLocal()}`);
  report(`volumes: a pass over ${podCount * volumeCount} unchanged volumes: ${(await passMs()).toFixed(2)} ms`);
  for (const files of [100, 1_000, 300_000]) report(`volumes: measure one of ${files} empty files: ${await measureFiles(files)}`);
}

async function costOf(work: () => Promise<void>): Promise<string> {
  const before = process.cpuUsage();
  const began = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return `${(performance.now() - began).toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of CPU`;
}

/** CPU of all threads, and the longest that the event loop was held. */
async function measureFiles(files: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-volumes-'));
  try {
    for (let each = 0; each < files; each++) writeFileSync(join(folder, `file-${each}`), '');
    const meter = createVolumeMeter();
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const cost = await costOf(async () => void (await meter.folder(folder, new AbortController().signal)));
    return `${cost}, event loop held for ${(delay.max / 1e6).toFixed(0)} ms`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** With the plugins of a node: an emptyDir, a config map, a secret and a service account's token, as most pods have. */
async function mountLocal(): Promise<string> {
  const rootDir = await mkdtemp(join(tmpdir(), 'bench-volumes-'));
  try {
    const mounter = createFakeMounter();
    const sources = {
      nodeAllocatable: () => ({ memory: '8Gi' }),
      getConfigMap: async () => ({ data: { 'app.conf': 'workers = 4' } }),
      getSecret: async () => ({ data: { password: 'c2VjcmV0' } }),
      getServiceAccountToken: async () => 'token',
    };
    const plugins = createVolumePlugins({ rootDir, mounter, sources });
    const volumes: Volume[] = [
      { name: 'v0', emptyDir: {} },
      { name: 'v1', configMap: { name: 'settings' } },
      { name: 'v2', secret: { secretName: 'password' } },
      { name: 'v3', projected: { sources: [{ serviceAccountToken: { path: 'token' } }, { downwardAPI: { items: [] } }] } },
    ];
    return await costOf(() => mountAll({ plugins, node: createVolumeNode({ mounter, paths: volumePaths(rootDir) }), rootDir, volumes }));
  } finally {
    await rm(rootDir, { recursive: true, force: true });
  }
}

const plugin: VolumePlugin = {
  name: 'bench.io/none',
  canSupport: () => true,
  volumeName: specName,
  requiresRemount: () => false,
  supportsMountOption: false,
  mounter: (spec, pod) => ({
    path: paths.podVolume(podUid(pod), 'bench.io/none', specName(spec)),
    attributes: { readOnly: false, managed: true, seLinuxRelabel: false },
    setUp: async () => {},
  }),
  unmounter: (name, uid) => ({ path: paths.podVolume(uid, 'bench.io/none', name), tearDown: async () => {} }),
  constructVolumeSpec: async (name) => ({ volume: { name }, readOnly: false }),
};

const emptyDirs: Volume[] = Array.from({ length: volumeCount }, (_, number) => ({ name: `v${number}`, emptyDir: {} }));

function pods(volumes = emptyDirs): Pod[] {
  return Array.from({ length: podCount }, (_, index): Pod => {
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const uid = `pod-${index}`;
    return {
      metadata: { uid, name: uid, namespace: 'bench' },
      spec: { volumes, containers: [{ name: 'main', image: 'app', volumeMounts }] },
    };
  });
}

const { node } = createMemoryVolumes({ rootDir: '/bench' });

async function mountAll({
  volumes,
  ...options
}: Pick<VolumeManagerOptions, 'plugins' | 'node'> & { rootDir?: string; volumes?: Volume[] }): Promise<void> {
  const all = pods(volumes);
  const manager = createVolumeManager({
    rootDir: '/var/lib/agent',
    ...options,
    nodeName: 'bench',
    pods: () => all,
    podStates: { shouldPodContainersBeTerminating: () => false, shouldPodRuntimeBeRemoved: () => false },
    sourcesReady: () => true,
  });
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  await manager.start();
  await Promise.all(all.map((pod) => manager.waitForAttachAndMount(pod, signal)));
  await manager.stop();
}

/** The fastest of twenty: what the machine does beside it is not the question. */
async function passMs(): Promise<number> {
  const states = { desired: createDesiredState(), actual: createActualState() };
  const registry = createPluginRegistry([plugin]);
  for (const pod of pods()) {
    for (const volume of pod.spec?.volumes ?? []) {
      const spec = { volume, readOnly: false };
      const resolved = await registry.resolve(spec);
      const volumeName = states.desired.addPodToVolume({ pod, resolved, outerName: volume.name, gid: '', now: 0 });
      states.actual.markVolumeAsAttached(volumeName, resolved, '');
      states.actual.markVolumeAsMounted({ podUid: podUid(pod), volumeName, spec, plugin });
    }
  }
  const input = { ...states, isPending: () => false, mustStay: () => false, isTerminating: () => false, controllerAttachDetach: true };
  const times = Array.from({ length: 20 }, () => {
    const began = performance.now();
    const operations = [...volumesToUnmount(input), ...volumesToMount(input), ...devicesToUnmount(input)];
    if (operations.length > 0) throw new Error('something was left to do');
    return performance.now() - began;
  });
  return Math.min(...times);
}
