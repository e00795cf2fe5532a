import {
  type CgroupName,
  type Clock,
  checkOptionNames,
  childCgroup,
  completeSettings,
  createRunLoop,
  type EventRecorder,
  errorCode,
  errorMessage,
  type GivenSettings,
  invalidOption,
  type Logger,
  lockHolderText,
  NodeAgentError,
  noEvents,
  type ObjectReference,
  type OptionNames,
  type Pod,
  parseResourceList,
  type ResourceList,
  type ResourceQuantities,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import type { CgroupManager, CgroupResources } from '@nodeagent/cgroups';
import { containerManagerErrorCodes } from './errors.js';
import { ensureKernelSettings, type KernelSettingFiles } from './kernel-settings.js';
import { nodeCgroupResources, podsCgroupLimits } from './node-resources.js';
import { createPodCgroups, type PodContainerManager } from './pod-cgroups.js';
import type { PodCgroupSettings } from './pod-resources.js';
import { type QosCgroup, type QosCgroupSettings, qosCgroupResources } from './qos-resources.js';
import { containerManagerSettings } from './settings.js';

/** Options of {@link createContainerManager}. */
export interface ContainerManagerOptions extends PodCgroupSettings, GivenSettings<typeof containerManagerSettings> {
  /** The machine's cgroups. */
  cgroups: CgroupManager;
  /** The pods that run or will run, for the CPU shares of QoS classes. */
  activePods(): Iterable<Pod>;
  /** What the machine has: `cpu`, `memory`, `pid` and huge pages. */
  capacity: ResourceList;
  /** The Node's name, for events. */
  nodeName: string;
  /** The cgroup below which that of all pods, `kubepods`, is created: `cgroupRoot` of KubeletConfiguration. Default: the root. */
  cgroupRoot?: CgroupName;
  /** Default none. */
  systemReserved?: ResourceList;
  /** Default none. */
  kubeReserved?: ResourceList;
  /** The existing cgroup of the system's daemons. Required to enforce `system-reserved`. Default: none. */
  systemReservedCgroup?: CgroupName;
  /** The existing cgroup of Kubernetes' daemons. Required to enforce `kube-reserved`. Default: none. */
  kubeReservedCgroup?: CgroupName;
  /** Sets the kernel settings that a node needs. Default: they are left alone. */
  kernelSettings?: KernelSettingFiles;
  /** Whether the pod has exclusive CPUs. Default: no pod has. */
  hasExclusiveCpus?(pod: Pod): boolean;
  /** A running kubelet with the same cgroup root, which takes no lock. Default: none is searched. */
  findKubelet?(): Promise<{ pid: number } | undefined>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Receives `NodeAllocatableEnforced` and `FailedNodeAllocatableEnforcement`. Default: none. */
  recorder?: EventRecorder;
  /** Default: silent. */
  logger?: Logger;
}

/** The cgroups of a node and its pods. */
export interface ContainerManager {
  /**
   * Creates the cgroups of all pods and of the QoS classes, locks them, enforces node allocatable, and updates the QoS classes every minute. Rejects
   * if another agent or a kubelet uses them, a reserved cgroup is missing, or a kernel setting is wrong and protected. If the machine's cgroups cannot be written, it logs a warning and
   * resolves: `isEnabled` is then false and pods run without separate cgroups. Idempotent; a failed start may be retried.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops the updates. The cgroups stay. Idempotent. */
  stop(): Promise<void>;
  /** Whether pods have cgroups. False before `start`. */
  readonly isEnabled: boolean;
  /**
   * Updates the CPU shares and the memory values of the QoS classes: call it when pods start or end. Calls during an update share the next
   * one. A failure is logged; the next update retries.
   */
  updateQosCgroups(): Promise<void>;
  /** The cgroups of pods. Use them only if `isEnabled`. */
  readonly pods: PodContainerManager;
}

const optionNames: OptionNames<ContainerManagerOptions> = {
  cgroups: true,
  activePods: true,
  capacity: true,
  nodeName: true,
  cgroupRoot: true,
  systemReserved: true,
  kubeReserved: true,
  enforceNodeAllocatable: true,
  systemReservedCgroup: true,
  kubeReservedCgroup: true,
  enforceCpuLimits: true,
  cpuPeriod: true,
  podPidsLimit: true,
  hugePageSizes: true,
  memoryReservationPolicy: true,
  qosReservedMemoryPercent: true,
  hasExclusiveCpus: true,
  kernelSettings: true,
  protectKernelDefaults: true,
  findKubelet: true,
  clock: true,
  recorder: true,
  logger: true,
};

const updatePeriodMs = 60_000;
/** The errno values and codes of a machine on which the agent may not write cgroups. */
const unwritable = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'CgroupUnavailable']);
const qosGroups: readonly QosCgroup[] = ['burstable', 'besteffort'];
type UpdatedCgroup = QosCgroup | 'all';

/** Whether an error, or its cause, means that the agent may not write there. */
function isUnwritable(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return [errorCode(error), errorCode(cause)].some((code) => code !== undefined && unwritable.has(code));
}

/** Creates the container manager. Does no I/O before `start`. Throws `InvalidOption`. */
export function createContainerManager(options: ContainerManagerOptions): ContainerManager {
  checkOptionNames('createContainerManager', options, optionNames);
  const { cgroups, cgroupRoot = [], hugePageSizes = [] } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger } = options;
  const settings = completeSettings(containerManagerSettings, options, '');
  const { enforceNodeAllocatable: enforced, qosReservedMemoryPercent: reservedPercent } = settings;
  if (options.nodeName === '') throw invalidOption('nodeName', 'the name of the Node', options.nodeName);
  const podsRoot = childCgroup(cgroupRoot, 'kubepods');
  const node: ObjectReference = { kind: 'Node', name: options.nodeName, uid: options.nodeName };
  const pods = createPodCgroups({
    cgroups,
    podsRoot,
    settings: options,
    hasExclusiveCpus: (pod) => options.hasExclusiveCpus?.(pod) ?? false,
    isExclusive: async () => unlock !== undefined && (await options.findKubelet?.()) === undefined,
    logger,
  });
  /** Releases the lock of the cgroup of all pods; undefined while it is not held. */
  let unlock: (() => void) | undefined;
  let isEnabled = false;
  let isStarted = false;
  const written = new Map<UpdatedCgroup, string>();

  const qosSettings: QosCgroupSettings = {
    hugePageSizes,
    ...(options.memoryReservationPolicy && { memoryReservationPolicy: options.memoryReservationPolicy }),
    ...(reservedPercent > 0 && {
      reservedMemory: { percent: reservedPercent, allocatableBytes: podsCgroupLimits(options).get('memory')?.value() ?? 0n },
    }),
  };

  const podsResources = () => {
    const amounts = enforced.includes('pods') ? podsCgroupLimits(options) : parseResourceList(options.capacity);
    return nodeCgroupResources(amounts, { hugePageSizes });
  };

  const qosResources = () => qosCgroupResources(options.activePods(), qosSettings);
  const nameOf = (group: UpdatedCgroup) => (group === 'all' ? podsRoot : childCgroup(podsRoot, group));

  /** Writes the values of the QoS classes: all, or those that changed since they were last written. */
  async function writeQosCgroups(which: 'all' | 'changed'): Promise<void> {
    const resources = qosResources();
    for (const group of ['all', ...qosGroups] as const) {
      const values = JSON.stringify(resources[group], (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      if (values === '{}' || (which === 'changed' && written.get(group) === values)) continue;
      try {
        await updateWithin(nameOf(group), resources[group]);
        written.set(group, values);
      } catch (error) {
        written.delete(group);
        logger.warn({ err: error }, `failed to update the cgroup of ${group} pods; the next update retries`);
      }
    }
  }

  /** A memory limit below the usage can fail: the limit is then the usage, so that it does not grow. */
  async function updateWithin(name: CgroupName, resources: CgroupResources): Promise<void> {
    try {
      await cgroups.update(name, resources);
    } catch (error) {
      const usage = resources.memory === undefined ? undefined : await cgroups.memoryUsage(name);
      if (usage === undefined || usage <= (resources.memory ?? 0)) throw error;
      await cgroups.update(name, { ...resources, memory: usage });
    }
  }

  let lastUpdate = Promise.resolve();
  let pendingUpdate: Promise<void> | undefined;
  /** Updates one after the other. Calls during an update share the next one. */
  function updateQosCgroups(which: 'all' | 'changed'): Promise<void> {
    if (!isEnabled) return Promise.resolve();
    if (pendingUpdate !== undefined) return pendingUpdate;
    const update = lastUpdate.then(() => {
      pendingUpdate = undefined;
      return writeQosCgroups(which);
    });
    pendingUpdate = update;
    lastUpdate = update;
    return update;
  }

  /** Updates the limit of all pods until it succeeds. */
  async function enforcePodsLimit(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await cgroups.update(podsRoot, podsResources());
        recorder.event(node, 'Normal', 'NodeAllocatableEnforced', 'Updated Node Allocatable limit across pods');
        return;
      } catch (error) {
        const message = `Failed to update Node Allocatable Limits ${JSON.stringify(cgroups.path(podsRoot))}: ${errorMessage(error)}`;
        recorder.event(node, 'Warning', 'FailedNodeAllocatableEnforcement', message);
      }
      await clock.sleep(updatePeriodMs, signal).catch(() => {});
    }
  }

  async function enforceReserved(key: 'system' | 'kube', cgroup: CgroupName | undefined, amounts: ResourceQuantities): Promise<void> {
    const onlyCompressible = enforced.includes(`${key}-reserved-compressible`);
    if (!onlyCompressible && !enforced.includes(`${key}-reserved`)) return;
    const title = key === 'system' ? 'System' : 'Kube';
    try {
      if (cgroup === undefined) throw invalidOption(`${key}ReservedCgroup`, `a cgroup if ${key}-reserved is enforced`, cgroup);
      if (!(await cgroups.exists(cgroup))) throw new Error(`${JSON.stringify(cgroups.path(cgroup))} cgroup does not exist`);
      await cgroups.update(cgroup, nodeCgroupResources(amounts, { hugePageSizes, onlyCompressible }));
    } catch (cause) {
      const path = cgroup === undefined ? '' : cgroups.path(cgroup);
      const message = `Failed to enforce ${title} Reserved Cgroup Limits on ${JSON.stringify(path)}: ${errorMessage(cause)}`;
      recorder.event(node, 'Warning', 'FailedNodeAllocatableEnforcement', message);
      throw new NodeAgentError(containerManagerErrorCodes.enforcementFailed, message, {
        cause,
        hint: `Create the cgroup ${path} before the agent starts, or remove ${key}-reserved from enforceNodeAllocatable.`,
        details: { cgroup: path },
      });
    }
    recorder.event(node, 'Normal', 'NodeAllocatableEnforced', `Updated limits on ${key} reserved cgroup ${cgroups.path(cgroup)}`);
  }

  async function setKernelSettings(): Promise<void> {
    if (!options.kernelSettings) return;
    try {
      const changes = await ensureKernelSettings(options.kernelSettings, { protect: settings.protectKernelDefaults });
      if (changes.length > 0) logger.info({ changes }, 'kernel settings changed');
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      logger.warn({ err: error }, 'kernel settings cannot be changed: set them as the documentation of protectKernelDefaults lists them');
    }
  }

  /** Whether the cgroups of all pods and of the QoS classes exist afterwards. */
  async function createRoots(): Promise<boolean> {
    try {
      if (!(await cgroups.exists(podsRoot))) await cgroups.create(podsRoot, podsResources());
      const resources = qosResources();
      for (const group of qosGroups) {
        const name = nameOf(group);
        // After a restart the pods are not known yet: the shares of the previous run stay until the first update.
        if (!(await cgroups.exists(name))) await cgroups.create(name, resources[group]);
      }
      return true;
    } catch (error) {
      if (!isUnwritable(error)) throw error;
      logger.warn(
        { err: error },
        'cgroups cannot be written: pods run without separate cgroups and limits. Run the agent as root with a writable /sys/fs/cgroup.',
      );
      return false;
    }
  }

  const inUse = (what: string) =>
    new NodeAgentError(
      containerManagerErrorCodes.cgroupRootInUse,
      `--cgroup-root: the cgroup ${JSON.stringify(cgroups.path(podsRoot))} is in use by ${what}`,
      { hint: 'Stop it, or give this agent another cgroup with --cgroup-root, and another root directory and runtime.' },
    );

  /** Rejects if others run pods in the same cgroups. A lock that cannot be taken for another reason is logged. */
  async function lockRoot(): Promise<void> {
    try {
      unlock ??= await cgroups.lock(podsRoot, (holder) => inUse(`another agent, ${lockHolderText(holder)}`));
    } catch (error) {
      if (errorCode(error) === containerManagerErrorCodes.cgroupRootInUse) throw error;
      logger.warn({ err: error }, 'cannot lock the cgroups of pods: a second agent with the same cgroup root is not refused');
    }
  }

  const loop = createRunLoop(async (signal) => {
    const enforcement = enforced.includes('pods') ? enforcePodsLimit(signal) : Promise.resolve();
    while (!signal.aborted) {
      await clock.sleep(updatePeriodMs, signal).catch(() => {});
      if (!signal.aborted) await updateQosCgroups('all');
    }
    await enforcement;
  });

  return {
    pods,
    get isEnabled() {
      return isEnabled;
    },
    async start(signal) {
      if (isStarted) return;
      const kubelet = await options.findKubelet?.();
      if (kubelet !== undefined) throw inUse(`a kubelet, process ${kubelet.pid}`);
      const hasRoots = await createRoots();
      if (hasRoots) await lockRoot();
      await setKernelSettings();
      isEnabled = hasRoots;
      if (isEnabled) {
        await enforceReserved('system', options.systemReservedCgroup, parseResourceList(options.systemReserved));
        await enforceReserved('kube', options.kubeReservedCgroup, parseResourceList(options.kubeReserved));
        await loop.start(signal);
      }
      isStarted = true;
    },
    async stop() {
      isStarted = false;
      await loop.stop();
      await lastUpdate;
      unlock?.();
      unlock = undefined;
    },
    updateQosCgroups: () => updateQosCgroups('changed'),
  };
}
