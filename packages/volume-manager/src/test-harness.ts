import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import {
  type Clock,
  type Node,
  type ObjectGetter,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  transientOperationFailure,
  uncertainProgress,
  type VolumeNode,
  type VolumePlugin,
  type VolumeSpec,
} from '@nodeagent/api';
import { escapePluginName, podUid, specName, volumePaths } from '@nodeagent/api/helpers';
import type { VolumeManagerOptions } from './options.js';
import { createVolumeManager } from './volume-manager.js';

/** A clock that the test advances. */
export type TestClock = Clock & { advance(ms: number): Promise<void> };

/** Result of a plugin call: `done` succeeds, the others fail with or without an effect, `hang` waits until the manager stops. */
export type Outcome = 'done' | 'final' | 'transient' | 'uncertain' | 'uncertain after all' | 'hang';

/** `setUp <podUid> <name>`, `tearDown ...`, `mountDevice <name>`, `unmountDevice <name>`. */
export type Call = string;

const rootDir = '/var/lib/agent';
export const paths = volumePaths(rootDir);

/** What survives a restart of the manager: mounts and their folders. */
export function createFakeDisk() {
  return {
    /** Of pods, by path. */
    mounts: new Map<string, VolumeSpec>(),
    /** Of devices, by name. */
    devices: new Map<string, VolumeSpec>(),
    /** Folders in `pods/<uid>/volumes/<plugin>` that cannot be reconstructed. */
    unreadable: new Set<string>(),
  };
}

export type FakeDisk = ReturnType<typeof createFakeDisk>;

export const localPlugin = 'test.io/local';
export const remotePlugin = 'test.io/remote';

/** Two plugins on a fake disk: one without devices, and one whose devices are shared by pods. */
export function fakePlugins(disk: FakeDisk, clock: TestClock, outcomeOf: (call: Call) => Outcome | { after: number; outcome: Outcome }) {
  const calls: Call[] = [];

  const run = async (call: Call, effect: () => void, signal: AbortSignal) => {
    calls.push(call);
    const scripted = outcomeOf(call);
    const { after, outcome } = typeof scripted === 'string' ? { after: 0, outcome: scripted } : scripted;
    if (after > 0) await clock.sleep(after, signal);
    signal.throwIfAborted();
    switch (outcome) {
      case 'done':
        return effect();
      case 'hang':
        return new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
      case 'uncertain after all':
        effect();
        throw uncertainProgress(`${call}: no answer`);
      case 'uncertain':
        throw uncertainProgress(`${call}: no answer`);
      case 'transient':
        throw transientOperationFailure(`${call}: not now`);
      default:
        throw new Error(`${call}: refused`);
    }
  };

  const plugin = (name: string): VolumePlugin => ({
    name,
    canSupport: ({ persistentVolume, volume }) =>
      name === remotePlugin ? persistentVolume !== undefined : persistentVolume === undefined && volume?.hostPath === undefined,
    volumeName: specName,
    requiresRemount: ({ volume }) => volume?.configMap !== undefined,
    supportsMountOption: false,
    mounter(spec, pod) {
      const path = paths.podVolume(podUid(pod), name, specName(spec));
      return {
        path,
        attributes: { readOnly: spec.readOnly, managed: true, seLinuxRelabel: true },
        setUp: ({ signal }) => run(`setUp ${podUid(pod)} ${specName(spec)}`, () => void disk.mounts.set(path, spec), signal),
      };
    },
    unmounter(volume, uid) {
      const path = paths.podVolume(uid, name, volume);
      const tearDown = () => {
        disk.mounts.delete(path);
        disk.unreadable.delete(path);
      };
      return { path, tearDown: (signal) => run(`tearDown ${uid} ${volume}`, tearDown, signal) };
    },
    async constructVolumeSpec(_name, path) {
      const spec = disk.mounts.get(path);
      if (spec === undefined || disk.unreadable.has(path)) throw new Error('no volume data');
      return spec;
    },
  });

  const remote: VolumePlugin = {
    ...plugin(remotePlugin),
    attachable: { canAttach: () => true, attacher: () => ({ waitForAttach: async (_spec, devicePath) => devicePath }) },
    deviceMountable: {
      canDeviceMount: () => true,
      findDevices: async () => [...disk.devices.values()],
      deviceMounter: () => ({
        deviceMountPath: (spec) => join(rootDir, 'plugins', specName(spec)),
        mountDevice: (spec, _device, _path, { signal }) =>
          run(`mountDevice ${specName(spec)}`, () => void disk.devices.set(specName(spec), spec), signal),
      }),
      deviceUnmounter: () => ({
        unmountDevice(path, signal) {
          const name = path.slice(path.lastIndexOf('/') + 1);
          return run(`unmountDevice ${name}`, () => void disk.devices.delete(name), signal);
        },
      }),
    },
  };
  return { calls, plugins: [plugin(localPlugin), remote] };
}

/** Lists the folders that the mounts of a disk have. */
export function fakeNode(disk: FakeDisk): VolumeNode {
  const unused = async () => {
    throw new Error('block devices are not supported');
  };
  return {
    async list(path) {
      const below = [...disk.mounts.keys(), ...disk.unreadable].filter((each) => each.startsWith(`${path}/`));
      return [...new Set(below.map((each) => each.slice(path.length + 1).split('/')[0] ?? ''))];
    },
    cleanSubPaths: async () => {},
    mountRefs: async () => [],
    isDeviceOpen: async () => false,
    mapBlockDevice: unused,
    unmapBlockDevice: unused,
    removeBlockLink: unused,
    removeMapPath: unused,
    blockRefs: unused,
  };
}

/** A pod that mounts volumes: `local` ones by name, claims by `claim:<name>`, and config maps by `config:<name>`. */
export function podWith(uid: string, volumes: string[]): Pod {
  const named = volumes.map((volume) => {
    const [kind = '', name = kind] = volume.split(':');
    if (kind === 'claim') return { name, persistentVolumeClaim: { claimName: name } };
    return kind === 'config' ? { name, configMap: { name } } : { name, emptyDir: {} };
  });
  const volumeMounts = named.map(({ name }) => ({ name, mountPath: `/${name}` }));
  return {
    metadata: { name: uid, namespace: 'ns', uid },
    spec: { volumes: named, containers: [{ name: 'main', image: 'i', volumeMounts }] },
  };
}

/** A cluster with a bound claim for each persistent volume that is read; the volumes `attached` are in the Node's status. */
export function fakeCluster() {
  const attached = new Set<string>();
  const faults = { claims: false, node: false };
  const claims: ObjectGetter<PersistentVolumeClaim> = {
    async get({ name, namespace = '' }) {
      if (faults.claims) throw new Error('the API server is unreachable');
      return { metadata: { name, namespace, uid: name }, spec: { volumeName: `pv-${name}` }, status: { phase: 'Bound' } };
    },
  };
  const persistentVolumes: ObjectGetter<PersistentVolume> = {
    async get({ name }) {
      const claim = name.slice('pv-'.length);
      return { metadata: { name }, spec: { claimRef: { uid: claim, name: claim, namespace: 'ns' }, volumeMode: 'Filesystem' } };
    },
  };
  const node = (): Node => ({
    metadata: { name: 'n1' },
    status: { volumesAttached: [...attached].map((name) => ({ name, devicePath: `/dev/${name.split('/').at(-1)}` })) },
  });
  const nodes: ObjectGetter<Node> = {
    async get() {
      if (faults.node) throw new Error('the API server is unreachable');
      return node();
    },
  };
  return { attached, faults, claims, persistentVolumes, nodes, node };
}

export type FakeCluster = ReturnType<typeof fakeCluster>;

/** A manager with fakes, whose pods the test sets. */
export function setUpWith<C extends TestClock>({
  clock,
  disk = createFakeDisk(),
  cluster = fakeCluster(),
  outcomeOf = () => 'done',
  ...options
}: {
  clock: C;
  disk?: FakeDisk;
  cluster?: FakeCluster;
  outcomeOf?: Parameters<typeof fakePlugins>[2];
} & Partial<Omit<VolumeManagerOptions, 'clock'>>) {
  const pods = new Map<string, Pod>();
  /** UIDs of pods whose containers have all terminated. */
  const ended = new Set<string>();
  const { calls, plugins } = fakePlugins(disk, clock, outcomeOf);
  const { claims, persistentVolumes, nodes, node: cachedNode } = cluster;
  const manager = createVolumeManager({
    plugins,
    node: fakeNode(disk),
    rootDir,
    nodeName: 'n1',
    pods: () => [...pods.values()],
    podStates: {
      shouldPodContainersBeTerminating: (uid) => ended.has(uid) || !pods.has(uid),
      shouldPodRuntimeBeRemoved: (uid) => ended.has(uid) || !pods.has(uid),
    },
    sourcesReady: () => true,
    claims,
    persistentVolumes,
    nodes,
    cachedNode,
    clock,
    ...options,
  });
  return {
    manager,
    clock,
    disk,
    cluster,
    calls,
    pods,
    ended,
    add(pod: Pod) {
      pods.set(podUid(pod), pod);
      manager.podsChanged();
    },
    /** Waits in virtual time; resolves to the message of the error. */
    async outcome(work: Promise<unknown>, ms = 200_000): Promise<string> {
      let text: string | undefined;
      work.then(
        () => {
          text = 'ok';
        },
        (error: Error) => {
          text = error.message;
        },
      );
      for (let waited = 0; text === undefined && waited <= ms; waited += 100) await clock.advance(100);
      return text ?? 'still waiting';
    },
  };
}

export const mountPath = (uid: string, plugin: string, name: string) => join(paths.podVolumes(uid), escapePluginName(plugin), name);
export const never: AbortSignal = new AbortController().signal;
setMaxListeners(0, never);
