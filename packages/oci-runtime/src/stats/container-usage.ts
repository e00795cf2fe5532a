import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerStats, FilesystemUsage } from '@nodeagent/cri-api';
import type { ContainerRecord } from '../state/records.js';

/** Current usage of a container's cgroup. */
export interface ContainerUsage {
  cpuNanos: bigint;
  memoryBytes: bigint;
  workingSetBytes: bigint;
  rssBytes: bigint;
}

/**
 * Reads the usage of a cgroup; undefined if it does not exist, as after the exit. The working set is the usage without inactive file pages, as
 * cAdvisor has it. cgroup-v2.rst; memory.rst and cpuacct.rst of cgroup v1.
 *
 * @param path - from the root of the hierarchy, with a leading `/`
 */
export function readUsage(path: string, version: 1 | 2, mountPoint = '/sys/fs/cgroup'): ContainerUsage | undefined {
  const read = (controller: string, file: string) => readFileSync(join(mountPoint, version === 1 ? controller : '', path, file), 'utf8');
  try {
    const memory = valuesOf(read('memory', 'memory.stat'));
    const memoryBytes = BigInt(read('memory', version === 1 ? 'memory.usage_in_bytes' : 'memory.current'));
    const cpuNanos =
      version === 1 ? BigInt(read('cpuacct', 'cpuacct.usage')) : (valuesOf(read('cpu', 'cpu.stat')).get('usage_usec') ?? 0n) * 1000n;
    const inactive = memory.get(version === 1 ? 'total_inactive_file' : 'inactive_file') ?? 0n;
    const rssBytes = memory.get(version === 1 ? 'total_rss' : 'anon') ?? 0n;
    return { cpuNanos, memoryBytes, workingSetBytes: memoryBytes > inactive ? memoryBytes - inactive : 0n, rssBytes };
  } catch {
    return undefined;
  }
}

/** The values of a file with a name and a number in each line. */
function valuesOf(text: string): Map<string, bigint> {
  const lines = text.split('\n').map((line) => line.split(' '));
  return new Map(lines.flatMap(([name = '', value = '']) => (/^\d+$/.test(value) ? [[name, BigInt(value)] as const] : [])));
}

/** What the stats of a container consist of. */
export interface MeasuredContainer {
  /** Undefined for an exited container. */
  process: ContainerUsage | undefined;
  /** Of the writable layer. */
  layer: FilesystemUsage | undefined;
}

/** Converts the usage to CRI's ContainerStats. */
export function toContainerStats({ id, config }: ContainerRecord, measured: MeasuredContainer, timestamp: bigint): ContainerStats {
  const attributes = {
    id,
    metadata: { name: config.metadata?.name ?? '', attempt: config.metadata?.attempt ?? 0 },
    labels: config.labels ?? {},
    annotations: config.annotations ?? {},
  };
  const stats = { attributes, ...(measured.layer && { writableLayer: measured.layer }) };
  if (measured.process === undefined) return stats;
  const { cpuNanos, memoryBytes, workingSetBytes, rssBytes } = measured.process;
  return {
    ...stats,
    cpu: { timestamp, usageCoreNanoSeconds: { value: cpuNanos } },
    memory: { timestamp, workingSetBytes: { value: workingSetBytes }, usageBytes: { value: memoryBytes }, rssBytes: { value: rssBytes } },
  };
}
