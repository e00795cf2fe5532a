import type { Time } from './meta.js';

/**
 * The resource usage of a node: the Summary API (`stats.k8s.io/v1alpha1`), as `/stats/summary` serves it and eviction reads it. Fields have
 * the names and meaning of its JSON; its uint64 are bigint, for nanoseconds of CPU and unlimited memory pass what a number holds exactly. A
 * field that is absent, or undefined, is unknown.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/node-metrics/
 */
export interface Summary {
  node: NodeStats;
  pods: PodStats[];
}

export interface NodeStats {
  nodeName: string;
  /** The agent (`kubelet`), the runtime, other system processes, and all pods together (`pods`). */
  systemContainers?: ContainerStats[];
  /** When the node booted. */
  startTime: Time;
  cpu?: CpuStats;
  memory?: MemoryStats;
  io?: IoStats;
  network?: NetworkStats;
  /** The file system of the agent's root directory. */
  fs?: FsStats;
  runtime?: RuntimeFsStats;
  rlimit?: RlimitStats;
  swap?: SwapStats;
}

export interface RuntimeFsStats {
  /** The file system of images and, unless `containerFs` differs, of containers' writable layers. */
  imageFs?: FsStats;
  /** The file system of containers' writable layers. */
  containerFs?: FsStats;
}

/** Numbers of processes, including threads. */
export interface RlimitStats {
  time: Time;
  maxpid?: bigint;
  curproc?: bigint;
}

export interface PodStats {
  podRef: PodReference;
  startTime: Time;
  /** The running containers, unordered. */
  containers: ContainerStats[];
  cpu?: CpuStats;
  memory?: MemoryStats;
  io?: IoStats;
  network?: NetworkStats;
  volume?: VolumeStats[];
  /** Usage of the node's file system by the pod's writable layers, logs and ephemeral volumes. */
  'ephemeral-storage'?: FsStats;
  process_stats?: { process_count?: bigint };
  swap?: SwapStats;
}

export interface PodReference {
  name: string;
  namespace: string;
  uid: string;
}

export interface ContainerStats {
  name: string;
  startTime: Time;
  cpu?: CpuStats;
  memory?: MemoryStats;
  io?: IoStats;
  /** The writable layer: `usedBytes` is the container's, the rest its file system's. */
  rootfs?: FsStats;
  /** The log files: `usedBytes` is the container's, the rest their file system's. */
  logs?: FsStats;
  swap?: SwapStats;
}

export interface CpuStats {
  time: Time;
  /** CPU usage in nanocores, averaged over the last sampling interval. */
  usageNanoCores?: bigint;
  /** Cumulative CPU usage in core-nanoseconds since the start. */
  usageCoreNanoSeconds?: bigint;
  psi?: PsiStats;
}

export interface MemoryStats {
  time: Time;
  /** The memory limit minus the working set; absent without a limit. */
  availableBytes?: bigint;
  usageBytes?: bigint;
  /** Usage without inactive file pages, which the kernel can reclaim immediately. */
  workingSetBytes?: bigint;
  rssBytes?: bigint;
  pageFaults?: bigint;
  majorPageFaults?: bigint;
  psi?: PsiStats;
}

export interface SwapStats {
  time: Time;
  swapAvailableBytes?: bigint;
  swapUsageBytes?: bigint;
}

export interface IoStats {
  time: Time;
  psi?: PsiStats;
}

/** Pressure stall information (PSI) of the kernel: time in which all (`full`) or some (`some`) tasks stalled. */
export interface PsiStats {
  full: PsiData;
  some: PsiData;
}

export interface PsiData {
  /** Total stall time in microseconds. */
  total: bigint;
  /** Percentage of the last 10 seconds; `avg60` and `avg300` accordingly. */
  avg10: number;
  avg60: number;
  avg300: number;
}

/** The statistics of the default interface (`eth0`, if it exists), and those of all interfaces. */
export interface NetworkStats extends Partial<InterfaceStats> {
  time: Time;
  interfaces?: InterfaceStats[];
}

export interface InterfaceStats {
  name: string;
  rxBytes?: bigint;
  rxErrors?: bigint;
  txBytes?: bigint;
  txErrors?: bigint;
}

export interface FsStats {
  time: Time;
  availableBytes?: bigint;
  capacityBytes?: bigint;
  usedBytes?: bigint;
  inodesFree?: bigint;
  inodes?: bigint;
  inodesUsed?: bigint;
}

export interface VolumeStats extends FsStats {
  name: string;
  pvcRef?: { name: string; namespace: string };
  volumeHealthStats?: { abnormal: boolean };
}
