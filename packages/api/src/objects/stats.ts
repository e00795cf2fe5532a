import type { Time } from './meta.js';

/**
 * What a node uses: the Summary API (`stats.k8s.io/v1alpha1`), as `/stats/summary` serves it and eviction reads it. Fields have the
 * names and meaning of its JSON; its uint64 are bigint, for nanoseconds of CPU and unlimited memory pass what a number holds exactly. A
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
  /** The agent, the runtime, what else the system runs, and all pods together. */
  systemContainers?: ContainerStats[];
  /** When the node booted. */
  startTime: Time;
  cpu?: CpuStats;
  memory?: MemoryStats;
  io?: IoStats;
  network?: NetworkStats;
  /** The file system of the agent's root folder. */
  fs?: FsStats;
  runtime?: RuntimeFsStats;
  rlimit?: RlimitStats;
  swap?: SwapStats;
}

export interface RuntimeFsStats {
  /** Where images and, unless it is another, containers' writable layers lie. */
  imageFs?: FsStats;
  /** Where containers' writable layers lie. */
  containerFs?: FsStats;
}

/** Numbers of processes, threads included. */
export interface RlimitStats {
  time: Time;
  maxpid?: bigint;
  curproc?: bigint;
}

export interface PodStats {
  podRef: PodReference;
  startTime: Time;
  /** The running ones, in no order. */
  containers: ContainerStats[];
  cpu?: CpuStats;
  memory?: MemoryStats;
  io?: IoStats;
  network?: NetworkStats;
  volume?: VolumeStats[];
  /** What the pod's containers, their logs and its volumes that end with it take of the node's file system. */
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
  /** Billionths of a core, over the last sample's time. */
  usageNanoCores?: bigint;
  /** Since the start. */
  usageCoreNanoSeconds?: bigint;
  psi?: PsiStats;
}

export interface MemoryStats {
  time: Time;
  /** What is left below the limit; absent without a limit. */
  availableBytes?: bigint;
  usageBytes?: bigint;
  /** Usage without what the kernel can drop at once. */
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

/** Pressure stall information of the kernel: time in which all (`full`) or some (`some`) tasks waited. */
export interface PsiStats {
  full: PsiData;
  some: PsiData;
}

export interface PsiData {
  /** Microseconds in all. */
  total: bigint;
  /** Per cent of the last 10, 60 and 300 seconds. */
  avg10: number;
  avg60: number;
  avg300: number;
}

/** The default interface's figures, where one is called `eth0`, and those of all. */
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
