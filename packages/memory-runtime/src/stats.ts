import type { ContainerAttributes, ContainerStats, PodSandboxStats } from '@nodeagent/cri-api';
import type { ContainerUsage } from './behaviour.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { nanoseconds } from './time-stamps.js';
import { containerMetadata, sandboxMetadata } from './views.js';

const containerRoot = '/var/lib/memory-runtime';

/** A running container's stats at a clock time in milliseconds, from its scripted usage. */
export function containerStats(record: ContainerRecord, now: number): ContainerStats {
  const { nanoCores = 0, memoryBytes = 0, diskBytes = 0, inodes = 0 } = usageOf(record, now);
  const timestamp = nanoseconds(now);
  const runningMs = record.startedAt === 0n ? 0 : Math.max(0, now - record.startedMs);
  const attributes: ContainerAttributes = {
    id: record.id,
    metadata: containerMetadata(record),
    labels: record.config.labels ?? {},
    annotations: record.config.annotations ?? {},
  };
  return {
    attributes,
    cpu: {
      timestamp,
      usageCoreNanoSeconds: { value: BigInt(Math.floor((nanoCores * runningMs) / 1_000)) },
      usageNanoCores: { value: BigInt(nanoCores) },
    },
    memory: {
      timestamp,
      workingSetBytes: { value: BigInt(memoryBytes) },
      usageBytes: { value: BigInt(memoryBytes) },
      rssBytes: { value: BigInt(memoryBytes) },
    },
    writableLayer: {
      timestamp,
      fsId: { mountpoint: containerRoot },
      usedBytes: { value: BigInt(diskBytes) },
      inodesUsed: { value: BigInt(inodes) },
    },
  };
}

/** A sandbox's stats: those of its running containers and their sums. */
export function podSandboxStats(record: SandboxRecord, now: number): PodSandboxStats {
  const containers = [...record.containers]
    .filter(({ state }) => state === 'CONTAINER_RUNNING')
    .map((container) => containerStats(container, now));
  const timestamp = nanoseconds(now);
  const sum = (pick: (stats: ContainerStats) => { value: bigint } | undefined) => ({
    value: containers.reduce((total, stats) => total + (pick(stats)?.value ?? 0n), 0n),
  });
  return {
    attributes: {
      id: record.id,
      metadata: sandboxMetadata(record),
      labels: record.config.labels ?? {},
      annotations: record.config.annotations ?? {},
    },
    linux: {
      cpu: {
        timestamp,
        usageCoreNanoSeconds: sum(({ cpu }) => cpu?.usageCoreNanoSeconds),
        usageNanoCores: sum(({ cpu }) => cpu?.usageNanoCores),
      },
      memory: {
        timestamp,
        workingSetBytes: sum(({ memory }) => memory?.workingSetBytes),
        usageBytes: sum(({ memory }) => memory?.usageBytes),
        rssBytes: sum(({ memory }) => memory?.rssBytes),
      },
      process: { timestamp, processCount: { value: BigInt(containers.length) } },
      containers,
    },
  };
}

/** Bytes and inodes of all writable layers. */
export function writableLayers(records: Iterable<ContainerRecord>, now: number): { bytes: bigint; inodes: bigint } {
  const total = { bytes: 0n, inodes: 0n };
  for (const record of records) {
    const { diskBytes = 0, inodes = 0 } = usageOf(record, now);
    total.bytes += BigInt(diskBytes);
    total.inodes += BigInt(inodes);
  }
  return total;
}

/** Resource usage of a running container. */
export interface RunningUsage extends ContainerUsage {
  /** The container's name. */
  name: string;
  pod: string;
  namespace: string;
  podUid: string;
  /** Clock time of its start in milliseconds. */
  startedMs: number;
}

/** Resource usage of running containers at a clock time in milliseconds. */
export function runningUsages(records: Iterable<ContainerRecord>, now: number): RunningUsage[] {
  const usages: RunningUsage[] = [];
  for (const record of records) {
    if (record.state !== 'CONTAINER_RUNNING') continue;
    const { name: pod, namespace, uid: podUid } = sandboxMetadata(record.sandbox);
    const { name } = containerMetadata(record);
    usages.push({ name, pod, namespace, podUid, startedMs: record.startedMs, ...usageOf(record, now) });
  }
  return usages;
}

/** A container that does not run has disk usage only. */
function usageOf(record: ContainerRecord, now: number): ContainerUsage {
  if (record.startedAt === 0n) return {};
  const usage = record.process?.usage ?? record.behaviour.usage ?? {};
  const scripted = typeof usage === 'function' ? usage(now - record.startedMs) : usage;
  return record.state === 'CONTAINER_RUNNING' ? scripted : { diskBytes: scripted.diskBytes ?? 0, inodes: scripted.inodes ?? 0 };
}
