import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type PersistentVolume, type Pod, podUid, type Volume, volumePaths } from '@nodeagent/api';
import { createCsi } from '@nodeagent/csi';
import { createSubPaths, createVolumeNode, isMountPoint } from '@nodeagent/mount-utils';
import { createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { createVolumeManager } from '@nodeagent/volume-manager';
import { createVolumePlugins } from '@nodeagent/volume-plugins';
import { createAgentSteps, watchFiles, within } from './test-crashing-files.js';
import { createTestNode, driverOf, mounterOf, stateOf, type TestNode } from './test-node.js';

/** A kind of volume for two pods: one that is added or removed when the agent is killed, and a neighbour that stays. */
export interface Kind {
  volume?(node: TestNode): Partial<Volume>;
  /** A persistent volume instead of an inline volume; without `shared` a separate one for each pod. */
  persistent?(node: TestNode, name: string): PersistentVolume['spec'];
  shared?: boolean;
  stages?: boolean;
  subPath?: string;
}

const csiVolume = (_: TestNode, name: string) => ({ csi: { driver: 'd', volumeHandle: `handle-of-${name}` } });

export const kinds: Record<string, Kind> = {
  emptyDir: { volume: () => ({ emptyDir: {} }) },
  'emptyDir with a subPath': { volume: () => ({ emptyDir: {} }), subPath: 'a/b' },
  'emptyDir in memory': { volume: () => ({ emptyDir: { medium: 'Memory' } }) },
  configMap: { volume: () => ({ configMap: { name: 'settings', defaultMode: 0o644 } }) },
  secret: { volume: () => ({ secret: { secretName: 'login', defaultMode: 0o400 } }) },
  downwardAPI: { volume: () => ({ downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } }) },
  projected: {
    volume: () => ({ projected: { sources: [{ secret: { name: 'login' } }, { serviceAccountToken: { path: 'deep/token' } }] } }),
  },
  hostPath: { volume: ({ root }) => ({ hostPath: { path: join(root, 'host'), type: 'DirectoryOrCreate' } }) },
  'local folder': { persistent: ({ root }) => ({ local: { path: join(root, 'disk') } }) },
  nfs: { persistent: (_, name) => ({ nfs: { server: 'files', path: `/${name}` } }) },
  iscsi: { persistent: (_, name) => ({ iscsi: { targetPortal: '10.0.0.1', iqn: `iqn.2026-01.com.example:${name}`, lun: 3 } }) },
  'fc, shared': { persistent: () => ({ fc: { targetWWNs: ['500a0982991b8dc5'], lun: 2 } }), shared: true },
  'CSI that stages': { persistent: csiVolume },
  'CSI that stages, shared': { persistent: csiVolume, shared: true },
  'CSI that does not stage': { persistent: csiVolume, stages: false },
  'CSI of the pod': { volume: () => ({ csi: { driver: 'd' } }) },
  'CSI raw device that stages': { persistent: (node, name) => ({ ...csiVolume(node, name), volumeMode: 'Block' }) },
  'CSI raw device that stages, shared': { persistent: (node, name) => ({ ...csiVolume(node, name), volumeMode: 'Block' }), shared: true },
  'CSI raw device that does not stage': { persistent: (node, name) => ({ ...csiVolume(node, name), volumeMode: 'Block' }), stages: false },
};

const never = new AbortController().signal;

/** The node of a test, its pods, and its consecutive agents. */
function createScene(kind: Kind) {
  const node = createTestNode();
  const { root } = node;
  node.driver.stages = kind.stages ?? true;
  mkdirSync(join(root, 'disk'));
  writeFileSync(join(root, 'disk', 'data'), 'precious');
  const ofPayload = /~(configmap|secret|downward-api|projected)\//;
  const files = watchFiles(node.mounter, (path) => ofPayload.test(path));
  const close = () => {
    files.restore();
    rmSync(root, { recursive: true, force: true });
  };

  const volumeOf = (uid: string) => (kind.shared ? 'pv-shared' : `pv-${uid}`);
  const isBlock = kind.persistent?.(node, '')?.volumeMode === 'Block';
  function pod(uid: string): Pod {
    const source = kind.volume?.(node) ?? { persistentVolumeClaim: { claimName: volumeOf(uid) } };
    const use = isBlock
      ? { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }
      : { volumeMounts: [{ name: 'data', mountPath: '/data', ...(kind.subPath !== undefined && { subPath: kind.subPath }) }] };
    return {
      metadata: { name: uid, namespace: 'ns', uid },
      spec: { volumes: [{ name: 'data', ...source }], containers: [{ name: 'main', image: 'i', ...use }], securityContext: { fsGroup: 7 } },
    };
  }

  /** An agent for these pods. */
  async function startAgent(initialPods: Pod[]) {
    let pods = initialPods;
    const steps = createAgentSteps();
    const recorder = createRecordingRecorder();
    const clock = createVirtualClock({ settleIO: files.quiet });
    const paths = volumePaths(root);
    const mounter = mounterOf(node, steps);
    const csi = createCsi({
      rootDir: root,
      nodeName: 'n',
      isMountPoint: (path) => isMountPoint(mounter, path),
      csiDrivers: {
        get: () => ({ spec: { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'], fsGroupPolicy: 'None' } }),
        hasSynced: true,
        onChange: () => () => {},
      } as never,
      callNode: driverOf(node, steps),
      clock,
    });
    await csi.registration.register('d', '/d.sock', ['1.0.0'], never);
    const sources = {
      getConfigMap: async () => ({ data: { mode: 'fast', size: 'big' } }),
      getSecret: async () => ({ data: { password: 'c2VjcmV0' } }),
      getServiceAccountToken: async () => 'token',
      nodeAllocatable: () => ({ memory: '1Gi' }),
    };
    const isRemoved = (uid: string) => !pods.some((each) => podUid(each) === uid);
    const manager = createVolumeManager({
      plugins: [...createVolumePlugins({ rootDir: root, mounter, sources, clock }), csi.plugin],
      node: createVolumeNode({ mounter, paths }),
      rootDir: root,
      nodeName: 'n',
      pods: () => pods,
      podStates: { shouldPodContainersBeTerminating: isRemoved, shouldPodRuntimeBeRemoved: isRemoved },
      sourcesReady: () => true,
      claims: {
        get: async ({ name }) => ({ metadata: { uid: name, name }, spec: { volumeName: name }, status: { phase: 'Bound' } }),
      },
      persistentVolumes: {
        get: async ({ name }) => ({
          metadata: { name },
          spec: { claimRef: { uid: name, name, namespace: 'ns' }, volumeMode: 'Filesystem', ...kind.persistent?.(node, name) },
        }),
      },
      clock,
      recorder,
    });
    void within(steps, () => manager.start());
    const subPaths = createSubPaths({ mounter, paths });

    /** Prepares the sub-path of a pod's volume, as the runtime manager does when the volume is mounted. */
    async function useVolumes(each: Pod): Promise<void> {
      const volumePath = manager.getMountedVolumesForPod(podUid(each)).get('data')?.hostPath;
      const container = each.spec?.containers[0];
      const mount = container?.volumeMounts?.[0];
      if (!container || !mount || !volumePath || kind.subPath === undefined) return;
      await subPaths.prepare({ pod: each, container, mount, mountIndex: 0, volumePath, subPath: kind.subPath });
    }

    return {
      steps,
      recorder,
      setPods(next: Pod[]): void {
        pods = next;
        within(steps, () => manager.podsChanged());
      },
      /** Advances the clock until `isDone` is true, no timer is left, or the agent was killed. */
      async until(isDone: () => boolean | Promise<boolean>): Promise<void> {
        const limit = clock.monotonic() + 600_000;
        await clock.settle();
        while (!steps.isKilled && !(await isDone()) && clock.monotonic() < limit && (await clock.advanceToNext()));
      },
      async mounted(): Promise<void> {
        await this.until(() => pods.every((each) => manager.getMountedVolumesForPod(podUid(each)).has('data')));
        const use = (each: Pod) => within(steps, () => useVolumes(each));
        // A pod that cannot start is synced again.
        const useAgain = (each: Pod) => {
          steps.inject();
          return use(each);
        };
        await Promise.race([steps.killed, Promise.all(pods.map((each) => use(each).catch(() => useAgain(each))))]);
      },
      async stop(): Promise<void> {
        await manager.stop();
        this.closeHandles();
      },
      /** Closes the agent's files, as the kernel does for an exited process. */
      closeHandles: () => void steps.handles.map((handle) => handle.close().catch(() => {})),
      clock,
    };
  }
  return { node, pod, startAgent, violations: files.violations, close };
}

export type Scene = ReturnType<typeof createScene>;

/** The node's state without and with the pod. */
export interface States {
  without: string[];
  with: string[];
}

/** Runs on a separate node. */
export async function withScene<T>(kind: Kind, run: (scene: Scene) => Promise<T>): Promise<T> {
  const scene = createScene(kind);
  try {
    return await run(scene);
  } finally {
    scene.close();
  }
}

/** The states without faults. */
export async function statesOf({ node, pod, startAgent }: Pick<Scene, 'node' | 'pod' | 'startAgent'>): Promise<States> {
  const neighbour = await startAgent([pod('neighbour')]);
  await neighbour.mounted();
  await neighbour.stop();
  const without = await stateOf(node);
  const both = await startAgent([pod('neighbour'), pod('web')]);
  await both.mounted();
  await both.stop();
  return { without, with: await stateOf(node) };
}
