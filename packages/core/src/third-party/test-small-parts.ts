import {
  type AllocationManager,
  type EnvironmentPorts,
  type ImageManager,
  type Pod,
  type PodSource,
  type PodStatus,
  type ProbeManager,
  podUid,
  type StatsProvider,
  type StatusSink,
  type StatusVersions,
  type VolumeManager,
} from '@nodeagent/api';
import type { ContainerManager } from '@nodeagent/container-manager';
import type { NodeHost } from '../host/node-host.js';

/** Parts that implement only their contract. */

export function createSource(): PodSource & { set(pods: Pod[]): void } {
  let pods: Pod[] = [];
  let isStarted = false;
  const source: PodSource & { set(next: Pod[]): void } = {
    name: 'third-party',
    onPods: undefined,
    set(next) {
      pods = next;
      if (isStarted) source.onPods?.(pods);
    },
    async start(signal) {
      if (isStarted || signal?.aborted) return;
      isStarted = true;
      signal?.addEventListener('abort', () => void source.stop(), { once: true });
      source.onPods?.(pods);
    },
    async stop() {
      isStarted = false;
    },
  };
  return source;
}

/** Stores the statuses that it received, by pod name. */
export function createSink(): StatusSink & { readonly carried: ReadonlyMap<string, PodStatus[]> } {
  const carried = new Map<string, PodStatus[]>();
  let statuses: StatusVersions | undefined;
  const carry = (uid: string) => {
    const entry = statuses?.versionedStatus(uid);
    if (entry) carried.set(entry.podName, [...(carried.get(entry.podName) ?? []), entry.status]);
  };
  return {
    carried,
    async start(versions) {
      statuses = versions;
      for (const [uid] of versions.versionedStatuses()) carry(uid);
    },
    statusChanged: (uid) => queueMicrotask(() => carry(uid)),
    async stop() {
      statuses = undefined;
    },
  };
}

export function createImages(): ImageManager {
  return {
    start: async () => {},
    ensureImageExists: async ({ image }) => ({ imageRef: image, message: '' }),
    pulls: () => [],
    collectBackOff: () => {},
    pruneUnknownRecords: async () => {},
  };
}

/** Admits every pod and allocates what it requests. */
export function createAllocation(): AllocationManager {
  return {
    start: async () => {},
    stop: async () => {},
    addPod: async () => ({ admit: true }),
    updatePodFromAllocation: (pod) => pod,
    pushPendingResize: () => false,
    isResizeUndecided: () => false,
    retryPendingResizes: async () => {},
    pendingResizes: () => [],
    resizeConditions: () => [],
    removePod: () => {},
    removeOrphanedPods: () => {},
  };
}

/** Volumes that are mounted at once. */
export function createVolumes(): VolumeManager {
  const mounted = new Map<string, Map<string, { hostPath: string; readOnly: boolean }>>();
  return {
    async waitForAttachAndMount(pod, signal) {
      signal.throwIfAborted();
      const volumes = (pod.spec?.volumes ?? []).map(
        ({ name }) => [name, { hostPath: `/volumes/${podUid(pod)}/${name}`, readOnly: false }] as const,
      );
      mounted.set(podUid(pod), new Map(volumes));
    },
    async waitForUnmount(pod, signal) {
      signal.throwIfAborted();
      mounted.delete(podUid(pod));
    },
    getMountedVolumesForPod: (uid) => structuredClone(mounted.get(uid) ?? new Map()),
    hasPossiblyMountedVolumesForPod: (uid) => (mounted.get(uid)?.size ?? 0) > 0,
  };
}

/** Probes nothing: every container is started and ready. */
export function createProbes(): ProbeManager {
  const success = () => 'Success' as const;
  return {
    results: { liveness: success, readiness: success, startup: success },
    updates: { poll: () => undefined, onOffer: undefined },
    view: () => ({ readiness: success, startup: success, hasWorker: () => false, startedAt: 0 }),
    addPod: () => {},
    probeNow: () => {},
    stopLivenessAndStartup: () => {},
    removePod: () => {},
    cleanupPods: () => {},
    stop: async () => {},
  };
}

export function createStats(nodeName: string): StatsProvider {
  const time = '2026-01-01T00:00:00Z';
  return {
    summary: async () => ({ node: { nodeName, startTime: time, memory: { time, availableBytes: 1n << 33n } }, pods: [] }),
    containerMetrics: async () => '\n',
    resourceMetrics: async () => 'resource_scrape_error 0\n',
  };
}

export function createEnvironment(): EnvironmentPorts {
  return { listServices: () => [], getConfigMap: async () => ({ data: {} }), getSecret: async () => undefined };
}

/** A machine with pods' folders in a set, and no files. */
/** Cgroups of pods as a set of UIDs. */
export function createCgroups(): ContainerManager {
  const existing = new Set<string>();
  const nameOf = (uid: string) => ['pods', uid];
  return {
    isEnabled: true,
    start: async () => {},
    stop: async () => {},
    updateQosCgroups: async () => {},
    pods: {
      create: async (pod) => void existing.add(podUid(pod)),
      update: async () => {},
      exists: async (pod) => existing.has(podUid(pod)),
      remove: async (pod) => void existing.delete(podUid(pod)),
      list: async () => new Map(Array.from(existing, (uid) => [uid, nameOf(uid)])),
      async removeOrphans(running) {
        for (const uid of existing) if (!running.has(uid)) existing.delete(uid);
      },
      resize: async () => {},
      memoryUsage: async () => undefined,
      describe: (pod) => ({ path: `/${nameOf(podUid(pod)).join('/')}` }),
      parent: (pod) => `/${nameOf(podUid(pod)).join('/')}`,
    },
  };
}

export function createHost(): NodeHost {
  const dirs = new Set<string>();
  const machine = {
    ...{ cpus: 4, memoryBytes: 8n << 30n, cgroupVersion: 2 as const, hugePageSizes: [], maskedPaths: [] },
    ...{ swapController: false, swapBytes: 0n },
  };
  return {
    machine,
    machineResources: async () => ({ cpus: 4, memoryBytes: 8n << 30n, hugePages: [], ephemeralStorageBytes: 64n << 30n }),
    machineTopology: async () => ({
      cpus: [{ cpu: 0, core: 0, socket: 0, numaNode: 0, uncoreCache: 0 }],
      numaNodes: [{ id: 0, memoryBytes: 2 ** 33, hugePages: [], distances: [10] }],
    }),
    addresses: () => ['192.0.2.1'],
    stateFile: () => ({ load: async () => undefined, save: async () => {} }),
    files: {
      makeDirectory: async () => {},
      writeFile: async () => {},
      readText: async () => undefined,
      readTail: async () => undefined,
      list: async () => [],
      exists: async () => false,
      remove: async () => {},
      symlink: async () => {},
    },
    podDirs: {
      podDir: (uid) => `/pods/${uid}`,
      create: async (uid) => void dirs.add(uid),
      list: async () => [...dirs],
      remove: async (uid) => dirs.delete(uid) || true,
    },
    createVolumes() {
      throw new Error('the agent has a volume manager');
    },
  };
}
