import { type EnvironmentPorts, podUid } from '@nodeagent/api/helpers';
import type { ContainerManager } from '@nodeagent/container-manager';
import type { NodeHost } from '../host/node-host.js';

/** Parts of core's own contracts. `@nodeagent/compliance` has those of the other contracts. */

export function createEnvironment(): EnvironmentPorts {
  return { listServices: () => [], getConfigMap: async () => ({ data: {} }), getSecret: async () => undefined };
}

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

/** A machine with pods' folders in a set, and no files. */
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
