import type { CpuStats, IoStats, MemoryStats, SwapStats, Time } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { CgroupSample, MemorySample } from './cgroup-sample.js';

/** A cgroup's stats in the Summary API's types; unknown values are absent. */
export interface CgroupStats {
  cpu?: CpuStats;
  memory?: MemoryStats;
  swap?: SwapStats;
  io?: IoStats;
}

/** Limits above this value mean unlimited. */
const maxLimit = 1n << 62n;

/**
 * Converts a sample to the Summary API. `usageNanoCores` is the rate since the previous sample, 0 without one. Without the CPU controller
 * all CPU values are 0, without the memory controller the working set is 0. `availableBytes` is the limit minus the working set, as
 * unsigned 64-bit numbers, and absent without a limit.
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
