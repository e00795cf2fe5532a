import { setMaxListeners } from 'node:events';
import { type Pod, podUid } from '@nodeagent/api';
import {
  createActualWorld,
  createDesiredWorld,
  createPluginRegistry,
  createVolumeManager,
  devicesToUnmount,
  specName,
  type VolumeManagerOptions,
  type VolumePlugin,
  volumePaths,
  volumesToMount,
  volumesToUnmount,
} from '@nodeagent/volume-manager';

const podCount = 500;
const volumeCount = 4;
const paths = volumePaths('/var/lib/agent');

/** How soon a full node's volumes are mounted where mounting takes no time, and what a comparison costs that finds nothing to do. */
export async function benchVolumes(report: (line: string) => void): Promise<void> {
  const before = process.cpuUsage();
  await mountAll();
  const { user, system } = process.cpuUsage(before);
  report(`volumes: mount ${podCount} pods of ${volumeCount} volumes: ${((user + system) / 1000).toFixed(0)} ms of CPU`);
  report(`volumes: a pass over ${podCount * volumeCount} unchanged volumes: ${(await passMs()).toFixed(2)} ms`);
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

function pods(): Pod[] {
  return Array.from({ length: podCount }, (_, index): Pod => {
    const volumes = Array.from({ length: volumeCount }, (_, number) => ({ name: `v${number}`, emptyDir: {} }));
    const volumeMounts = volumes.map(({ name }) => ({ name, mountPath: `/${name}` }));
    const uid = `pod-${index}`;
    return {
      metadata: { uid, name: uid, namespace: 'bench' },
      spec: { volumes, containers: [{ name: 'main', image: 'app', volumeMounts }] },
    };
  });
}

const nothing = async () => {};
const none = async () => [];
const node: VolumeManagerOptions['node'] = {
  list: none,
  cleanSubPaths: nothing,
  mountRefs: none,
  isDeviceOpen: async () => false,
  mapBlockDevice: nothing,
  unmapBlockDevice: nothing,
  removeMapPath: nothing,
  blockRefs: none,
};

async function mountAll(): Promise<void> {
  const all = pods();
  const manager = createVolumeManager({
    plugins: [plugin],
    node,
    rootDir: '/var/lib/agent',
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
  const worlds = { desired: createDesiredWorld(), actual: createActualWorld() };
  const registry = createPluginRegistry([plugin]);
  for (const pod of pods()) {
    for (const volume of pod.spec?.volumes ?? []) {
      const spec = { volume, readOnly: false };
      const resolved = await registry.resolve(spec);
      const volumeName = worlds.desired.addPodToVolume({ pod, resolved, outerName: volume.name, gid: '', now: 0 });
      worlds.actual.markVolumeAsAttached(volumeName, resolved, '');
      worlds.actual.markVolumeAsMounted({ podUid: podUid(pod), volumeName, spec, plugin });
    }
  }
  const input = { ...worlds, isPending: () => false, isUnresolved: () => false, controllerAttachDetach: true };
  const times = Array.from({ length: 20 }, () => {
    const began = performance.now();
    const operations = [...volumesToUnmount(input), ...volumesToMount(input), ...devicesToUnmount(input)];
    if (operations.length > 0) throw new Error('something was left to do');
    return performance.now() - began;
  });
  return Math.min(...times);
}
