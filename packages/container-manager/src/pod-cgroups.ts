import type { Logger, Pod } from '@nodeagent/api';
import { type CgroupName, childCgroup, podCgroupName, podKey, podUid } from '@nodeagent/api/helpers';
import type { CgroupManager, CgroupResources } from '@nodeagent/cgroups';
import { type PodCgroupSettings, podCgroupResources } from './pod-resources.js';

/** A pod's cgroup, with the values that the pod's spec gives it. An absent value is not limited. */
export interface PodCgroup {
  /** Path from the root of the cgroup file system. */
  path: string;
  cpuShares?: number;
  /** CPU time in microseconds per `cpuPeriod`. */
  cpuQuota?: number;
  /** In microseconds. */
  cpuPeriod?: number;
  /** In bytes. */
  memory?: number;
  /** Maximum number of processes. */
  pids?: number;
}

/** The cgroups of pods. */
export interface PodContainerManager {
  /** Creates the pod's cgroup with its limits. An existing one is left as it is. */
  create(pod: Pod): Promise<void>;
  exists(pod: Pod): Promise<boolean>;
  /**
   * Sets the resources of an existing cgroup to those of the pod's spec, as all steps of a resize together do. Writes nothing if the last calls
   * did. A memory limit below the memory in use is left for the next call. Idempotent.
   */
  update(pod: Pod): Promise<void>;
  /** Kills what runs in the pod's cgroup and removes it. Idempotent. */
  remove(pod: Pod): Promise<void>;
  /** The cgroups of pods on the node, by the pod's UID. */
  list(): Promise<ReadonlyMap<string, CgroupName>>;
  /**
   * Removes the cgroups of pods that are not in the set, several at once. A failure is logged; the next call tries again. A pod that holds
   * volumes keeps its cgroup, with the minimum of CPU shares, until they are unmounted. The processes in the cgroup of an unknown pod are not
   * killed: another agent may run it. Without processes it is removed, unless another agent could be about to start the pod.
   *
   * @param isKnown - whether the pod is one of this agent. Default: those whose cgroups were created or updated here
   */
  removeOrphans(running: ReadonlySet<string>, holdsVolumes: (uid: string) => boolean, isKnown?: (uid: string) => boolean): Promise<void>;
  /**
   * Sets the limit or the request of one resource to that of the pod's spec, for an in-place resize. Values that the pod's cgroup does not
   * have, such as a memory limit if a container has none, are left as they are.
   */
  resize(pod: Pod, resource: 'cpu' | 'memory', bound: 'limit' | 'request'): Promise<void>;
  /** Memory in use, in bytes, of a pod whose cgroup limits memory. Undefined if it does not, or if the usage is unknown. */
  memoryUsage(pod: Pod): Promise<bigint | undefined>;
  /** The pod's cgroup for users. Does no I/O. */
  describe(pod: Pod): PodCgroup;
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
  /** Whether no other agent and no kubelet runs pods below `podsRoot`. */
  isExclusive(): Promise<boolean>;
  logger: Logger;
}

const prefix = 'pod';
const minCpuShares = 2;
const bounds = ['limit', 'request'] as const;
const resizable = ['memory', 'cpu'] as const;

/** Creates the manager of pods' cgroups. Does no I/O. */
export function createPodCgroups(options: PodCgroupsOptions): PodContainerManager {
  return new PodCgroups(options);
}

class PodCgroups implements PodContainerManager {
  readonly #options: PodCgroupsOptions;
  readonly #cgroups: CgroupManager;
  readonly #logger: Logger;
  /** UIDs of the pods whose cgroups this manager has created or updated, and not removed. */
  readonly #own = new Set<string>();
  /** UIDs of unknown pods whose cgroups were reported. */
  readonly #reported = new Set<string>();
  /** By the pod's UID, the values that this manager wrote last; absent if they are not known. */
  readonly #written = new Map<string, CgroupResources>();

  constructor(options: PodCgroupsOptions) {
    this.#options = options;
    this.#cgroups = options.cgroups;
    this.#logger = options.logger;
  }

  async create(pod: Pod): Promise<void> {
    const name = this.#nameOf(pod);
    this.#own.add(podUid(pod));
    if (await this.#cgroups.exists(name)) return;
    await this.#cgroups.create(name, this.#resourcesOf(pod));
    this.#written.set(podUid(pod), resizableValues(this.#resourcesOf(pod)));
  }

  exists(pod: Pod): Promise<boolean> {
    return this.#cgroups.exists(this.#nameOf(pod));
  }

  async update(pod: Pod): Promise<void> {
    const { memory, ...others } = resizableValues(this.#resourcesOf(pod));
    const wanted = { ...others, ...(memory !== undefined && { memory }) };
    const inForce = this.#written.get(podUid(pod));
    if (inForce !== undefined && isSame({ ...inForce, ...wanted }, inForce)) return;
    await this.#write(pod, (await this.#exceeds(pod, wanted)) ? others : wanted);
  }

  async remove(pod: Pod): Promise<void> {
    await this.#removeOne(podUid(pod), this.#nameOf(pod));
  }

  async list(): Promise<Map<string, CgroupName>> {
    const { podsRoot } = this.#options;
    const parents = [podsRoot, childCgroup(podsRoot, 'burstable'), childCgroup(podsRoot, 'besteffort')];
    const found = new Map<string, CgroupName>();
    for (const children of await Promise.all(parents.map((parent) => this.#cgroups.children(parent)))) {
      for (const name of children) {
        const last = name.at(-1) ?? '';
        if (last.startsWith(prefix)) found.set(last.slice(prefix.length), name);
      }
    }
    return found;
  }

  async removeOrphans(
    running: ReadonlySet<string>,
    holdsVolumes: (uid: string) => boolean,
    isKnown: (uid: string) => boolean = () => false,
  ): Promise<void> {
    const found = await this.list();
    for (const uid of this.#reported) if (!found.has(uid)) this.#reported.delete(uid);
    let exclusive: Promise<boolean> | undefined;
    const isExclusive = () => {
      exclusive ??= this.#options.isExclusive();
      return exclusive;
    };
    const removeOrReduce = async ([uid, name]: [string, CgroupName]) => {
      try {
        if (!this.#own.has(uid) && !isKnown(uid)) await this.#removeUnknown(uid, name, await isExclusive());
        else if (holdsVolumes(uid)) await this.#reduce(uid, name);
        else await this.#removeOne(uid, name);
      } catch (error) {
        this.#logger.warn({ podUID: uid, err: error }, 'failed to remove the cgroup of an orphaned pod; the next housekeeping retries');
      }
    };
    await Promise.all(Array.from(found).flatMap((entry) => (running.has(entry[0]) ? [] : [removeOrReduce(entry)])));
  }

  async resize(pod: Pod, resource: 'cpu' | 'memory', bound: 'limit' | 'request'): Promise<void> {
    const values = resizedValues(this.#resourcesOf(pod), resource, bound);
    if (Object.keys(values).length > 0) await this.#write(pod, values);
  }

  async memoryUsage(pod: Pod): Promise<bigint | undefined> {
    if (this.#resourcesOf(pod).memory === undefined) return undefined;
    try {
      return await this.#cgroups.memoryUsage(this.#nameOf(pod));
    } catch (error) {
      this.#logger.debug({ pod: podKey(pod), podUID: podUid(pod), err: error }, 'failed to read the memory usage of the pod');
      return undefined;
    }
  }

  describe(pod: Pod): PodCgroup {
    const { cpuShares, cpuQuota = 0, cpuPeriod, memory = 0, pids } = this.#resourcesOf(pod);
    return {
      path: this.#cgroups.path(this.#nameOf(pod)),
      ...(cpuShares !== undefined && { cpuShares }),
      ...(cpuQuota > 0 && { cpuQuota, ...(cpuPeriod !== undefined && { cpuPeriod }) }),
      ...(memory > 0 && { memory: Number(memory) }),
      ...(pids !== undefined && { pids }),
    };
  }

  parent(pod: Pod): string {
    const path = this.#cgroups.path(this.#nameOf(pod));
    return path.endsWith('.slice') ? path.slice(path.lastIndexOf('/') + 1) : path;
  }

  #nameOf(pod: Pod): CgroupName {
    return podCgroupName(pod, this.#options.podsRoot);
  }

  #resourcesOf(pod: Pod): CgroupResources {
    const { settings, hasExclusiveCpus } = this.#options;
    return podCgroupResources(pod, { ...settings, enforceCpuLimits: (settings.enforceCpuLimits ?? true) && !hasExclusiveCpus(pod) });
  }

  async #write(pod: Pod, values: CgroupResources): Promise<void> {
    const uid = podUid(pod);
    this.#own.add(uid);
    const before = this.#written.get(uid);
    this.#written.delete(uid);
    await this.#cgroups.update(this.#nameOf(pod), values);
    this.#written.set(uid, { ...before, ...values });
  }

  async #exceeds(pod: Pod, { memory = 0 }: CgroupResources): Promise<boolean> {
    const usage = memory > 0 ? await this.#cgroups.memoryUsage(this.#nameOf(pod)) : undefined;
    return usage !== undefined && usage > memory;
  }

  async #removeOne(uid: string, name: CgroupName): Promise<void> {
    this.#written.delete(uid);
    await this.#cgroups.remove(name);
    this.#own.delete(uid);
  }

  async #reduce(uid: string, name: CgroupName): Promise<void> {
    this.#written.delete(uid);
    await this.#cgroups.update(name, { cpuShares: minCpuShares });
  }

  async #removeUnknown(uid: string, name: CgroupName, canRemove: boolean): Promise<void> {
    if ((canRemove && (await this.#cgroups.removeEmpty(name))) || this.#reported.has(uid)) return;
    this.#reported.add(uid);
    const cgroup = this.#cgroups.path(name);
    const why = 'neither the runtime nor the root directory knows its pod, which another agent may run';
    this.#logger.warn({ podUID: uid, cgroup }, `leaving the cgroup ${cgroup}, because ${why}`);
  }
}

/** The values that a resize can change. */
function resizableValues(resources: CgroupResources): CgroupResources {
  const all = bounds.flatMap((bound) => resizable.map((resource) => resizedValues(resources, resource, bound)));
  return Object.assign({}, ...all);
}

/** The first has the keys of the second, and maybe others. */
const isSame = (a: CgroupResources, b: CgroupResources) => {
  const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return JSON.stringify(a, text) === JSON.stringify(b, text);
};

/** The values of one bound of a resource. The memory request has values with MemoryQoS only. A limit of 0 is none. */
function resizedValues(
  { memory, cpuQuota, cpuPeriod, cpuShares, unified }: CgroupResources,
  resource: 'cpu' | 'memory',
  bound: 'limit' | 'request',
): CgroupResources {
  if (resource === 'memory' && bound === 'request') return unified === undefined ? {} : { unified };
  if (resource === 'memory') return memory === undefined ? {} : { memory: memory || -1 };
  if (bound === 'request') return cpuShares === undefined ? {} : { cpuShares };
  return cpuQuota === undefined ? {} : { cpuQuota: cpuQuota || -1, ...(cpuPeriod !== undefined && { cpuPeriod }) };
}
