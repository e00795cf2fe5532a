import type { PsiStats } from '@nodeagent/api';

/** A measurement of a cgroup. Values that could not be read are absent. */
export interface CgroupSample {
  /** When it was read: milliseconds since 1970. */
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
  /** Processes of the cgroup itself, without those of cgroups below. */
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

/** Bytes, and numbers of page faults. No limit is the largest uint64. */
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
  /** CPU settings as cgroup v1 counts them: shares, and microseconds of quota in a period; no quota is absent. */
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
