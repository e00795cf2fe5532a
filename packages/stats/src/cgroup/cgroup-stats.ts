import { type CpuStats, formatTime, type IoStats, type MemoryStats, type SwapStats } from '@nodeagent/api';
import type { CgroupSample } from './cgroup-sample.js';

/** A cgroup's figures as the Summary API has them; what is unknown is absent. */
export interface CgroupStats {
  cpu?: CpuStats;
  memory?: MemoryStats;
  swap?: SwapStats;
  io?: IoStats;
}

/** A limit above this counts as none. */
const maxLimit = 1n << 62n;

/**
 * A sample in the words of the Summary API. `usageNanoCores` is the rate since the sample before it: 0 as long as there is none. Without
 * the CPU controller all is 0, without the memory controller the working set is. Available is the limit less the working set, as unsigned
 * 64-bit numbers, and only where there is a limit.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/node-metrics/
 */
export function cgroupStats(sample: CgroupSample | undefined, usageNanoCores = 0n, formatted = formatTime): CgroupStats {
  if (sample === undefined) return {};
  const time = formatted(sample.time);
  const stats: CgroupStats = {};
  const { cpu, memory, psi } = sample;
  if (cpu !== undefined || !sample.hasCpu) {
    stats.cpu = { time, usageNanoCores, usageCoreNanoSeconds: cpu?.usageNanos ?? 0n };
    if (cpu === undefined) stats.cpu.usageNanoCores = 0n;
    if (psi?.cpu !== undefined) stats.cpu.psi = psi.cpu;
  }
  if (memory !== undefined) {
    const { usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults, limitBytes, swapBytes, swapLimitBytes } = memory;
    stats.memory = { time, usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults };
    if (limitBytes <= maxLimit) stats.memory.availableBytes = unsigned(limitBytes - workingSetBytes);
    if (psi?.memory !== undefined) stats.memory.psi = psi.memory;
    if (swapBytes !== undefined) {
      stats.swap = { time, swapUsageBytes: swapBytes };
      if (swapLimitBytes <= maxLimit) stats.swap.swapAvailableBytes = unsigned(swapLimitBytes - swapBytes);
    }
  } else if (!sample.hasMemory) stats.memory = { time, workingSetBytes: 0n };
  if (psi?.io !== undefined) stats.io = { time, psi: psi.io };
  return stats;
}

const unsigned = (value: bigint) => BigInt.asUintN(64, value);
