import type { PsiStats } from '@nodeagent/api';

/** What a cgroup used up to one moment. What is absent could not be read. */
export interface CgroupSample {
  /** When it was read: milliseconds since 1970. */
  time: number;
  /** When it was read by a clock that never jumps, in milliseconds: what rates are computed with. */
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
  /** What only the cAdvisor metrics tell. */
  detail?: CgroupDetail;
}

/** CPU time in nanoseconds. All but the usage is told in detail only. */
export interface CpuSample {
  usageNanos: bigint;
  userNanos?: bigint;
  systemNanos?: bigint;
  /** What a CPU limit did; only where the CPU controller is on. */
  cfs?: {
    periods: bigint;
    throttledPeriods: bigint;
    throttledNanos: bigint;
    burstPeriods: bigint;
    burstNanos: bigint;
  };
}

/** What a cgroup may use, in bytes. */
export type MemoryLimits = Pick<MemorySample, 'limitBytes' | 'swapLimitBytes'>;

/** Bytes, and counts of page faults. A limit that there is none is the largest uint64. */
export interface MemorySample {
  usageBytes: bigint;
  /** Usage without inactive file pages, which the kernel can drop at once. */
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
