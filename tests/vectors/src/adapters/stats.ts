import type { FsStats } from '@nodeagent/api';
import type { CpuUsage } from '@nodeagent/cri-api';
import type { CgroupSample } from '@nodeagent/stats';
import { cgroupStats, createUsageNanoCores, ephemeralStorage, liveSandboxes, runningContainers } from '@nodeagent/stats/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON of any shape
type Recorded = any;

/** Recorded stats have no times. */
const withoutTime = (stats: object | undefined): Recorded => {
  if (stats === undefined) return undefined;
  const { time: _, ...values } = texts(stats);
  return values;
};
const texts = (value: object): Recorded =>
  JSON.parse(JSON.stringify(value, (_key, entry) => (typeof entry === 'bigint' ? String(entry) : entry)));

function usageNanoCores({ steps }: Recorded) {
  const rates = createUsageNanoCores();
  const results = steps.map(({ id, timestamp, update, noCpu, usageCoreNanoSeconds, usageNanoCores: given }: Recorded) => {
    const cpu: CpuUsage = {
      timestamp: BigInt(timestamp),
      ...(usageCoreNanoSeconds !== undefined && { usageCoreNanoSeconds: { value: BigInt(usageCoreNanoSeconds) } }),
      ...(given !== undefined && { usageNanoCores: { value: BigInt(given) } }),
    };
    return rates.of(id, noCpu ? undefined : cpu, { update, now: 0 })?.toString() ?? null;
  });
  return { results };
}

function removeTerminated({ sandboxes, containers }: Recorded) {
  const live = liveSandboxes(
    sandboxes.map(({ id, name, namespace, ready, createdAt }: Recorded) => ({
      id,
      metadata: { name, namespace, uid: '', attempt: 0 },
      state: ready ? 'SANDBOX_READY' : 'SANDBOX_NOTREADY',
      createdAt: BigInt(createdAt),
    })),
  );
  const ids = (entries: { id: string }[]) => entries.map(({ id }) => id).sort();
  return { sandboxes: ids(live as Recorded), containers: ids(runningContainers(containers) as Recorded) };
}

function cgroup(input: Recorded) {
  const sample: CgroupSample = {
    time: 0,
    monotonic: 0,
    hasCpu: input.hasCpu,
    hasMemory: input.hasMemory,
    ...(input.hasCpu && { cpu: { usageNanos: BigInt(input.cpuTotal) } }),
    ...(input.hasMemory && {
      memory: {
        usageBytes: BigInt(input.usage),
        workingSetBytes: BigInt(input.workingSet),
        rssBytes: BigInt(input.rss),
        inactiveFileBytes: 0n,
        pageFaults: BigInt(input.pgfault),
        majorPageFaults: BigInt(input.pgmajfault),
        limitBytes: BigInt(input.memoryLimit),
        swapBytes: BigInt(input.swap),
        swapLimitBytes: BigInt(input.swapLimit),
      },
    }),
  };
  const rate = input.cpuInstTotal === undefined ? undefined : BigInt(input.cpuInstTotal);
  const { cpu, memory, swap } = cgroupStats(input.noSamples ? undefined : sample, rate);
  return { cpu: withoutTime(cpu), memory: withoutTime(memory), swap: withoutTime(swap) };
}

function ephemeral({ rootFs, containers, ephemeralVolumes, podLogs, etcHosts }: Recorded) {
  const total = ephemeralStorage({
    rootFs: exact(rootFs),
    containers: containers.map(({ rootfs, logs }: Recorded) => ({ rootfs: exact(rootfs), logs: exact(logs) })),
    ephemeralVolumes: ephemeralVolumes.map(exact),
    podLogs: exact(podLogs),
    etcHosts: exact(etcHosts),
  } as Recorded);
  return JSON.parse(JSON.stringify(total, (_key, value) => (typeof value === 'bigint' ? Number(value) : value)));
}

const exact = (stats: Recorded): FsStats | undefined =>
  stats && Object.fromEntries(Object.entries(stats).map(([key, value]) => [key, typeof value === 'number' ? BigInt(value) : value]));

const functions: Record<string, (input: Recorded) => unknown> = {
  usageNanoCores,
  removeTerminated,
  cgroupStats: cgroup,
  ephemeralStorage: ephemeral,
};

export const statsAdapters: Adapter[] = [defineAdapter('stats-functions', (input) => functions[input.fn]?.(input))];
