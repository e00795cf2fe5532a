/** Limits and weights of one cgroup. An absent member is left as it is. */
export interface CgroupResources {
  /** CPU shares, 2 to 262144: the kernel's `cpu.shares` of version 1, from which `cpu.weight` of version 2 follows. 0: left as it is. */
  cpuShares?: number;
  /** CPU time in microseconds per period. -1: no limit; 0: left as it is. */
  cpuQuota?: number;
  /** The period of `cpuQuota` in microseconds. Default: the one in force on version 1, 100000 on version 2. */
  cpuPeriod?: number;
  /** Memory limit in bytes. -1: no limit; 0: left as it is. */
  memory?: number | bigint;
  /** Maximum number of processes and threads. -1: no limit; 0: left as it is. */
  pids?: number;
  /** Limits of huge pages in bytes, by page size as the kernel's files spell it: `2MB`, `1GB`. */
  hugePages?: Readonly<Record<string, number | bigint>>;
  /** Files of version 2 with their text, such as `memory.high`. Ignored on version 1. */
  unified?: Readonly<Record<string, string>>;
}
