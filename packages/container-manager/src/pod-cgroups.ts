import { type CgroupName, childCgroup, type Logger, type Pod, podCgroupName, podKey, podUid } from '@nodeagent/api';
import type { CgroupManager, CgroupResources } from '@nodeagent/cgroups';
import { type PodCgroupSettings, podCgroupResources } from './pod-resources.js';

/** The cgroups of pods. */
export interface PodContainerManager {
  /** Creates the pod's cgroup with its limits. An existing one is left as it is. */
  create(pod: Pod): Promise<void>;
  exists(pod: Pod): Promise<boolean>;
  /** Kills what runs in the pod's cgroup and removes it. Idempotent. */
  remove(pod: Pod): Promise<void>;
  /** The cgroups of pods on the node, by the pod's UID. */
  list(): Promise<ReadonlyMap<string, CgroupName>>;
  /**
   * Removes the cgroups of pods that are not in the set, several at once. A failure is logged; the next call tries again. A pod that holds
   * volumes keeps its cgroup, with the minimum of CPU shares, until they are unmounted.
   */
  removeOrphans(running: ReadonlySet<string>, holdsVolumes: (uid: string) => boolean): Promise<void>;
  /** Sets the given values of the pod's cgroup, for an in-place resize. */
  update(pod: Pod, resources: CgroupResources): Promise<void>;
  /** Memory in use, in bytes; undefined if unknown. */
  memoryUsage(pod: Pod): Promise<bigint | undefined>;
  /** The pod's cgroup as the runtime takes it for `cgroup_parent`: a path, or a slice with systemd's driver. */
  parent(pod: Pod): string;
}

/** Options of {@link createPodCgroups}. */
export interface PodCgroupsOptions {
  cgroups: CgroupManager;
  /** The cgroup of all pods. */
  podsRoot: CgroupName;
  settings: PodCgroupSettings;
  /** Whether the pod has exclusive CPUs: its CPU limit is then no quota. */
  hasExclusiveCpus(pod: Pod): boolean;
  logger: Logger;
}

const prefix = 'pod';
const minCpuShares = 2;

/** Creates the manager of pods' cgroups. Does no I/O. */
export function createPodCgroups({ cgroups, podsRoot, settings, hasExclusiveCpus, logger }: PodCgroupsOptions): PodContainerManager {
  const nameOf = (pod: Pod) => podCgroupName(pod, podsRoot);
  const parents = [podsRoot, childCgroup(podsRoot, 'burstable'), childCgroup(podsRoot, 'besteffort')];

  const list = async () => {
    const found = new Map<string, CgroupName>();
    for (const children of await Promise.all(parents.map((parent) => cgroups.children(parent)))) {
      for (const name of children) {
        const last = name.at(-1) ?? '';
        if (last.startsWith(prefix)) found.set(last.slice(prefix.length), name);
      }
    }
    return found;
  };

  return {
    async create(pod) {
      const name = nameOf(pod);
      if (await cgroups.exists(name)) return;
      const enforceCpuLimits = (settings.enforceCpuLimits ?? true) && !hasExclusiveCpus(pod);
      await cgroups.create(name, podCgroupResources(pod, { ...settings, enforceCpuLimits }));
    },
    exists: (pod) => cgroups.exists(nameOf(pod)),
    remove: (pod) => cgroups.remove(nameOf(pod)),
    list,
    async removeOrphans(running, holdsVolumes) {
      const removeOrReduce = async ([uid, name]: [string, CgroupName]) => {
        try {
          if (holdsVolumes(uid)) await cgroups.update(name, { cpuShares: minCpuShares });
          else await cgroups.remove(name);
        } catch (error) {
          logger.warn({ podUID: uid, err: error }, 'failed to remove the cgroup of an orphaned pod; the next housekeeping retries');
        }
      };
      const orphans = Array.from(await list()).filter(([uid]) => !running.has(uid));
      await Promise.all(orphans.map(removeOrReduce));
    },
    update: (pod, resources) => cgroups.update(nameOf(pod), resources),
    async memoryUsage(pod) {
      try {
        return await cgroups.memoryUsage(nameOf(pod));
      } catch (error) {
        logger.debug({ pod: podKey(pod), podUID: podUid(pod), err: error }, 'failed to read the memory usage of the pod');
        return undefined;
      }
    },
    parent(pod) {
      const path = cgroups.path(nameOf(pod));
      return path.endsWith('.slice') ? path.slice(path.lastIndexOf('/') + 1) : path;
    },
  };
}
