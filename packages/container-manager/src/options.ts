import {
  type Clock,
  type EventRecorder,
  invalidOption,
  type Logger,
  noEvents,
  type Pod,
  type ResourceList,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { type CgroupName, completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import type { CgroupManager } from '@nodeagent/cgroups';
import type { KernelSettingFiles } from './kernel-settings.js';
import type { PodCgroupSettings } from './pod-resources.js';
import { containerManagerSettings } from './settings.js';

/** Options of `createContainerManager`. */
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

/** The options with their defaults. Throws `InvalidOption`. */
export function resolveOptions(options: ContainerManagerOptions) {
  if (options.nodeName === '') throw invalidOption('nodeName', 'the name of the Node', options.nodeName);
  return {
    ...options,
    ...completeSettings(containerManagerSettings, options, ''),
    cgroupRoot: options.cgroupRoot ?? [],
    hugePageSizes: options.hugePageSizes ?? [],
    hasExclusiveCpus: options.hasExclusiveCpus ?? (() => false),
    findKubelet: options.findKubelet ?? (async () => undefined),
    clock: options.clock ?? systemClock,
    recorder: options.recorder ?? noEvents,
    logger: options.logger ?? silentLogger,
  };
}

export type ResolvedOptions = ReturnType<typeof resolveOptions>;
