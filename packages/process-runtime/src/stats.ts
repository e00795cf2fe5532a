import { readFile } from 'node:fs/promises';
import type { ContainerStats, ContainerStatsFilter } from '@nodeagent/cri-api';
import type { ProcessInfo } from './processes.js';
import type { ContainerRecord } from './records.js';

/** Clock ticks per second in /proc: 100 on every Linux architecture. */
const nanosPerTick = 10_000_000n;

/** Current resource usage of a container's processes. */
export interface ProcessesUsage {
  cpuNanos: bigint;
  rssBytes: bigint;
}

/** The sum over a container's processes, from /proc. Excludes exited processes that their parents did not wait for. */
export async function measure(members: readonly ProcessInfo[]): Promise<ProcessesUsage> {
  const rss = await Promise.all(members.map(({ pid }) => readRss(pid)));
  return {
    cpuNanos: members.reduce((sum, { cpuTicks }) => sum + BigInt(cpuTicks) * nanosPerTick, 0n),
    rssBytes: rss.reduce((sum, bytes) => sum + bytes, 0n),
  };
}

/** Converts a container's usage to CRI's ContainerStats. Shared memory counts once per process. */
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

/** Converts the filter to that of ListContainers. */
export function toContainerFilter(filter: ContainerStatsFilter | undefined) {
  return { ...filter, state: { state: 'CONTAINER_RUNNING' as const } };
}

/** Resident memory in bytes; 0 for an exited process. */
async function readRss(pid: number): Promise<bigint> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return BigInt(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024n;
}
