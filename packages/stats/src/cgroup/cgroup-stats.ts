import { type CpuStats, formatTime, type IoStats, type MemoryStats, type SwapStats, type Time } from '@nodeagent/api';
import type { CgroupSample, MemorySample } from './cgroup-sample.js';

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
export function cgroupStats(sample: CgroupSample | undefined, usageNanoCores = 0n): CgroupStats {
  if (sample === undefined) return {};
  const time = formatTime(sample.time);
  const { memory, psi } = sample;
  return {
    cpu: cpuStats(time, sample, usageNanoCores),
    memory: memoryStats(time, sample),
    swap: memory && swapStats(time, memory),
    io: psi?.io && { time, psi: psi.io },
  };
}

function cpuStats(time: Time, { cpu, hasCpu, psi }: CgroupSample, usageNanoCores: bigint): CpuStats | undefined {
  if (cpu !== undefined) return { time, usageNanoCores, usageCoreNanoSeconds: cpu.usageNanos, psi: psi?.cpu };
  return hasCpu ? undefined : { time, usageNanoCores: 0n, usageCoreNanoSeconds: 0n, psi: psi?.cpu };
}

function memoryStats(time: Time, { memory, hasMemory, psi }: CgroupSample): MemoryStats | undefined {
  if (memory === undefined) return hasMemory ? undefined : { time, workingSetBytes: 0n };
  const { usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults, limitBytes } = memory;
  const availableBytes = left(limitBytes, workingSetBytes);
  return { time, availableBytes, usageBytes, workingSetBytes, rssBytes, pageFaults, majorPageFaults, psi: psi?.memory };
}

function swapStats(time: Time, { swapBytes, swapLimitBytes }: MemorySample): SwapStats | undefined {
  if (swapBytes === undefined) return undefined;
  return { time, swapAvailableBytes: left(swapLimitBytes, swapBytes), swapUsageBytes: swapBytes };
}

function left(limit: bigint, used: bigint): bigint | undefined {
  if (limit > maxLimit) return undefined;
  return limit >= used ? limit - used : BigInt.asUintN(64, limit - used);
}
