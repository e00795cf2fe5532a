import { readFile } from 'node:fs/promises';
import type { ContainerStats, ContainerStatsFilter } from '@nodeagent/cri-api';
import type { ProcessInfo } from './processes.js';
import type { ContainerRecord } from './records.js';

/** Linux shows times in /proc in hundredths of a second, on every architecture. */
const nanosPerTick = 10_000_000n;

/** What a container's processes use now. */
export interface ProcessesUsage {
  cpuNanos: bigint;
  rssBytes: bigint;
}

/** The sum over a container's processes, from /proc. What a process used that nobody waited for is no longer in it. */
export async function measure(members: readonly ProcessInfo[]): Promise<ProcessesUsage> {
  const rss = await Promise.all(members.map(({ pid }) => readRss(pid)));
  return {
    cpuNanos: members.reduce((sum, { cpuTicks }) => sum + BigInt(cpuTicks) * nanosPerTick, 0n),
    rssBytes: rss.reduce((sum, bytes) => sum + bytes, 0n),
  };
}

/** A container's use as ContainerStats gives it. Shared memory counts once for each process that has it. */
export function toContainerStats({ id, config }: ContainerRecord, usage: ProcessesUsage, timestamp: bigint): ContainerStats {
  return {
    attributes: {
      id,
      metadata: { name: config.metadata?.name ?? '', attempt: config.metadata?.attempt ?? 0 },
      labels: config.labels ?? {},
      annotations: config.annotations ?? {},
    },
    cpu: { timestamp, usageCoreNanoSeconds: { value: usage.cpuNanos } },
    memory: {
      timestamp,
      workingSetBytes: { value: usage.rssBytes },
      usageBytes: { value: usage.rssBytes },
      rssBytes: { value: usage.rssBytes },
    },
  };
}

/** The same filter, as ListContainers takes it. */
export function toContainerFilter(filter: ContainerStatsFilter | undefined) {
  return { ...filter, state: { state: 'CONTAINER_RUNNING' as const } };
}

/** Resident memory in bytes; 0 for a process that is gone. */
async function readRss(pid: number): Promise<bigint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return BigInt(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024n;
}
