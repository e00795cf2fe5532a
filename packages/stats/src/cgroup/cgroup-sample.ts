import type { PsiStats } from '@nodeagent/api';

/** A measurement of a cgroup. Values that could not be read are absent. */
export interface CgroupSample {
  /** Time of the measurement in milliseconds since 1970. */
  time: number;
  /** Monotonic time of the measurement in milliseconds, for rates. */
  monotonic: number;
  /** Whether the cgroup counts CPU time. */
  hasCpu: boolean;
  cpu?: CpuSample;
  /** Whether the cgroup has the memory controller. */
  hasMemory: boolean;
  memory?: MemorySample;
  /** Only on cgroup v2, with a kernel that has pressure stall information. */
  psi?: { cpu?: PsiStats; memory?: PsiStats; io?: PsiStats };
  /** Number of processes in the cgroup, without its descendants. */
  processes?: number;
  /** Values for the cAdvisor metrics only. */
  detail?: CgroupDetail;
}

/** CPU time in nanoseconds. All values except the usage need `detail`. */
export interface CpuSample {
  usageNanos: bigint;
  userNanos?: bigint;
  systemNanos?: bigint;
  /** CPU throttling; only with the CPU controller. */
  cfs?: {
    periods: bigint;
    throttledPeriods: bigint;
    throttledNanos: bigint;
    burstPeriods: bigint;
    burstNanos: bigint;
  };
}

/** Memory limits of a cgroup in bytes. */
export type MemoryLimits = Pick<MemorySample, 'limitBytes' | 'swapLimitBytes'>;

/** Bytes, and numbers of page faults. Unlimited is the maximum uint64. */
export interface MemorySample {
  usageBytes: bigint;
  /** Usage without inactive file pages, which the kernel can reclaim immediately. */
  workingSetBytes: bigint;
  /** Anonymous memory. */
  rssBytes: bigint;
  cacheBytes?: bigint;
  mappedFileBytes?: bigint;
  kernelBytes?: bigint;
  activeFileBytes?: bigint;
  inactiveFileBytes: bigint;
  pageFaults: bigint;
  majorPageFaults: bigint;
  limitBytes: bigint;
  swapBytes?: bigint;
  swapLimitBytes: bigint;
}

/** Settings, and counters that the Summary API does not have. */
export interface CgroupDetail {
  /** CPU settings in the units of cgroup v1: shares, and the quota of a period in microseconds. Without a quota it is absent. */
  shares?: bigint;
  quotaMicros?: bigint;
  periodMicros?: bigint;
  maxUsageBytes?: bigint;
  failures?: bigint;
  oomKills?: bigint;
  reservationBytes?: bigint;
  threads?: bigint;
  threadsMax?: bigint;
  io?: DeviceIo[];
}

/** Reads and writes of one block device. */
export interface DeviceIo {
  major: number;
  minor: number;
  readBytes: bigint;
  writeBytes: bigint;
  reads: bigint;
  writes: bigint;
}
