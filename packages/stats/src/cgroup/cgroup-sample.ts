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
}

/** CPU time in nanoseconds. */
export interface CpuSample {
  usageNanos: bigint;
  userNanos?: bigint;
  systemNanos?: bigint;
}

/** Bytes, and counts of page faults. A limit that there is none is {@link unlimited}. */
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
  swapBytes: bigint;
  swapLimitBytes: bigint;
}
