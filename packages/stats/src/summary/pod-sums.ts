import type { ContainerStats, CpuStats, MemoryStats, SwapStats } from '@nodeagent/api';

/** A pod's CPU, memory and swap as sums over its containers, for a pod whose cgroup is unknown. Pressure has no sum. */
export function podSums(containers: readonly ContainerStats[]): { cpu?: CpuStats; memory?: MemoryStats; swap?: SwapStats } {
  const cpu = sumOf(containers, 'cpu', ['usageNanoCores', 'usageCoreNanoSeconds']);
  const memory = sumOf(containers, 'memory', [
    'availableBytes',
    'usageBytes',
    'workingSetBytes',
    'rssBytes',
    'pageFaults',
    'majorPageFaults',
  ]);
  const swap = sumOf(containers, 'swap', ['swapAvailableBytes', 'swapUsageBytes']);
  return { ...(cpu && { cpu }), ...(memory && { memory }), ...(swap && { swap }) };
}

type Part = 'cpu' | 'memory' | 'swap';

/** The sums of the known fields, with the newest time; undefined if no container has the part. */
function sumOf(containers: readonly ContainerStats[], part: Part, fields: readonly string[]) {
  let sum: ({ time: string } & Record<string, bigint | string>) | undefined;
  for (const container of containers) {
    const stats = container[part];
    if (stats === undefined) continue;
    sum ??= { time: stats.time };
    if (stats.time > sum.time) sum.time = stats.time;
    for (const field of fields) {
      const value = (stats as unknown as Record<string, bigint | undefined>)[field];
      if (value !== undefined) sum[field] = ((sum[field] as bigint | undefined) ?? 0n) + value;
    }
  }
  return sum;
}
