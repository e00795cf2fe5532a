import type { Pod } from '@nodeagent/api';
import { podUid, volumePaths } from '@nodeagent/api/helpers';
import type { Csi } from '@nodeagent/csi';
import { createCsi } from '@nodeagent/csi/node';
import { createSubPaths, createVolumeNode, isMountPoint } from '@nodeagent/mount-utils';
import { createRecordingRecorder, createVirtualClock, type VirtualClock } from '@nodeagent/testing';
import { createVolumeManager } from '@nodeagent/volume-manager';
import { createVolumePlugins } from '@nodeagent/volume-plugins/node';
import { createAgentSteps, within } from './test-crashing-files.js';
import type { Kind } from './test-kinds.js';
import { driverOf, mounterOf, type TestNode } from './test-node.js';

const never = new AbortController().signal;

/** Starts the volume manager of the node's next agent for these pods. `settleIO` resolves when no file operation is pending. */
export async function startVolumeAgent(node: TestNode, kind: Kind, settleIO: () => Promise<void>, pods: Pod[]): Promise<VolumeAgent> {
  const agent = new VolumeAgent(node, kind, settleIO, pods);
  await agent.start();
  return agent;
}

/** The volume manager of one agent. */
export class VolumeAgent {
  readonly steps = createAgentSteps();
  readonly recorder = createRecordingRecorder();
  readonly clock: VirtualClock;
  readonly #node: TestNode;
  readonly #kind: Kind;
  readonly #csi: Csi;
  readonly #manager;
  readonly #subPaths;
  #pods: Pod[];

  constructor(node: TestNode, kind: Kind, settleIO: () => Promise<void>, pods: Pod[]) {
    const mounter = mounterOf(node, this.steps);
    const paths = volumePaths(node.root);
    this.#node = node;
    this.#kind = kind;
    this.#pods = pods;
    this.clock = createVirtualClock({ settleIO });
    this.#csi = this.#createCsi(mounter);
    this.#manager = this.#createManager(mounter);
    this.#subPaths = createSubPaths({ mounter, paths });
  }

  async start(): Promise<void> {
    await this.#csi.registration.register('d', '/d.sock', ['1.0.0'], never);
    void within(this.steps, () => this.#manager.start());
  }

  setPods(next: Pod[]): void {
    this.#pods = next;
    within(this.steps, () => this.#manager.podsChanged());
  }

  /** Advances the clock until `isDone` is true, no timer is left, or the agent was killed. */
  async until(isDone: () => boolean | Promise<boolean>): Promise<void> {
    const limit = this.clock.monotonic() + 600_000;
    await this.clock.settle();
    while (!this.steps.isKilled && !(await isDone()) && this.clock.monotonic() < limit && (await this.clock.advanceToNext()));
  }

  async mounted(): Promise<void> {
    await this.until(() => this.#pods.every((each) => this.#manager.getMountedVolumesForPod(podUid(each)).has('data')));
    const use = (each: Pod) => within(this.steps, () => this.#useVolumes(each));
    // A pod that cannot start is synced again.
    const useAgain = (each: Pod) => {
      this.steps.inject();
      return use(each);
    };
    await Promise.race([this.steps.killed, Promise.all(this.#pods.map((each) => use(each).catch(() => useAgain(each))))]);
  }

  async stop(): Promise<void> {
    await this.#manager.stop();
    this.closeHandles();
  }

  /** Closes the agent's files, as the kernel does for an exited process. */
  closeHandles(): void {
    for (const handle of this.steps.handles) void handle.close().catch(() => {});
  }

  /** Prepares the sub-path of a pod's volume, as the runtime manager does when the volume is mounted. */
  async #useVolumes(pod: Pod): Promise<void> {
    const { subPath } = this.#kind;
    const volumePath = this.#manager.getMountedVolumesForPod(podUid(pod)).get('data')?.hostPath;
    const container = pod.spec?.containers[0];
    const mount = container?.volumeMounts?.[0];
    if (!container || !mount || !volumePath || subPath === undefined) return;
    await this.#subPaths.prepare({ pod, container, mount, mountIndex: 0, volumePath, subPath });
  }

  #createCsi(mounter: ReturnType<typeof mounterOf>): Csi {
    return createCsi({
      rootDir: this.#node.root,
      nodeName: 'n',
      isMountPoint: (path) => isMountPoint(mounter, path),
      csiDrivers: {
        get: () => ({ spec: { attachRequired: false, volumeLifecycleModes: ['Persistent', 'Ephemeral'], fsGroupPolicy: 'None' } }),
        hasSynced: true,
        onChange: () => () => {},
      } as never,
      callNode: driverOf(this.#node, this.steps),
      clock: this.clock,
    });
  }

  #createManager(mounter: ReturnType<typeof mounterOf>) {
    const rootDir = this.#node.root;
    const sources = {
      getConfigMap: async () => ({ data: { mode: 'fast', size: 'big' } }),
      getSecret: async () => ({ data: { password: 'c2VjcmV0' } }),
      getServiceAccountToken: async () => 'token',
      nodeAllocatable: () => ({ memory: '1Gi' }),
    };
    const isRemoved = (uid: string) => !this.#pods.some((each) => podUid(each) === uid);
    return createVolumeManager({
      plugins: [...createVolumePlugins({ rootDir, mounter, sources, clock: this.clock }), this.#csi.plugin],
      node: createVolumeNode({ mounter, paths: volumePaths(rootDir) }),
      rootDir,
      nodeName: 'n',
      pods: () => this.#pods,
      podStates: { shouldPodContainersBeTerminating: isRemoved, shouldPodRuntimeBeRemoved: isRemoved },
      sourcesReady: () => true,
      claims: {
        get: async ({ name }) => ({ metadata: { uid: name, name }, spec: { volumeName: name }, status: { phase: 'Bound' } }),
      },
      persistentVolumes: {
        get: async ({ name }) => ({
          metadata: { name },
          spec: {
            claimRef: { uid: name, name, namespace: 'ns' },
            volumeMode: 'Filesystem',
            ...this.#kind.persistent?.(this.#node, name),
          },
        }),
      },
      clock: this.clock,
      recorder: this.recorder,
    });
  }
}
