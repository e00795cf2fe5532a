import type { Clock, ContainerStats, FsStats, PodStats, Summary } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { MemoryRuntime, RunningUsage } from '@nodeagent/memory-runtime';
import { resourceMetrics } from '@nodeagent/stats';

/** Capacity of a machine. */
export interface Capacity {
  memoryBytes: number;
  diskBytes: number;
  pids: number;
}

/** Usage of a machine beside its pods. */
export interface OwnUsage {
  memoryBytes: number;
  diskBytes: number;
  pids: number;
}

export interface SimulatedStatsOptions {
  nodeName: string;
  clock: Clock;
  runtime: Pick<MemoryRuntime, 'usages'>;
  capacity: Capacity;
  /** Called for each summary. */
  own(): OwnUsage;
}

/** The `StatsProvider` of a simulated node: the usage in the scripts of its containers, and that of the machine. */
export function createSimulatedStats({ nodeName, clock, runtime, capacity, own }: SimulatedStatsOptions) {
  const bootedAt = formatTime(clock.now());
  const summary = async (): Promise<Summary> => {
    const now = clock.now();
    return summaryOf({ nodeName, bootedAt, now, capacity, own: own(), usages: runtime.usages() });
  };
  return {
    summary,
    containerMetrics: async () => '',
    resourceMetrics: async () => resourceMetrics(await summary()),
  };
}

interface Measured {
  nodeName: string;
  bootedAt: string;
  /** Milliseconds since 1970. */
  now: number;
  capacity: Capacity;
  own: OwnUsage;
  usages: readonly RunningUsage[];
}

/** The usage as a Summary. Pods and the machine share one file system. */
function summaryOf({ nodeName, bootedAt, now, capacity, own, usages }: Measured): Summary {
  const time = formatTime(now);
  let [memory, disk, nanoCores] = [own.memoryBytes, own.diskBytes, 0];
  for (const usage of usages) {
    memory += usage.memoryBytes ?? 0;
    disk += usage.diskBytes ?? 0;
    nanoCores += usage.nanoCores ?? 0;
  }
  const left = (whole: number, used: number) => BigInt(Math.max(0, Math.floor(whole - used)));
  const fs: FsStats = {
    time,
    capacityBytes: BigInt(capacity.diskBytes),
    usedBytes: whole(disk),
    availableBytes: left(capacity.diskBytes, disk),
  };
  return {
    node: {
      nodeName,
      startTime: bootedAt,
      cpu: { time, usageNanoCores: whole(nanoCores) },
      memory: {
        time,
        workingSetBytes: whole(Math.min(memory, capacity.memoryBytes)),
        availableBytes: left(capacity.memoryBytes, memory),
      },
      fs,
      runtime: { imageFs: fs, containerFs: fs },
      rlimit: { time, maxpid: BigInt(capacity.pids), curproc: BigInt(own.pids + usages.length) },
    },
    pods: podsOf(usages, time),
  };
}

function podsOf(usages: readonly RunningUsage[], time: string): PodStats[] {
  const pods = new Map<string, PodStats>();
  for (const usage of usages) {
    const { pod: name, namespace, podUid: uid } = usage;
    const container = containerOf(usage, time);
    const pod = pods.get(uid) ?? { podRef: { name, namespace, uid }, startTime: container.startTime, containers: [] };
    pods.set(uid, pod);
    pod.containers.push(container);
    const used = whole(usage.diskBytes ?? 0);
    pod.cpu = { time, usageNanoCores: (pod.cpu?.usageNanoCores ?? 0n) + whole(usage.nanoCores ?? 0) };
    pod.memory = { time, workingSetBytes: (pod.memory?.workingSetBytes ?? 0n) + whole(usage.memoryBytes ?? 0) };
    pod['ephemeral-storage'] = { time, usedBytes: (pod['ephemeral-storage']?.usedBytes ?? 0n) + used };
  }
  return [...pods.values()];
}

function containerOf(
  { name, startedMs, nanoCores = 0, memoryBytes = 0, diskBytes = 0, inodes = 0 }: RunningUsage,
  time: string,
): ContainerStats {
  return {
    name,
    startTime: formatTime(startedMs),
    cpu: { time, usageNanoCores: whole(nanoCores) },
    memory: { time, workingSetBytes: whole(memoryBytes), rssBytes: whole(memoryBytes) },
    rootfs: { time, usedBytes: whole(diskBytes), inodesUsed: whole(inodes) },
  };
}

const whole = (value: number) => BigInt(Math.max(0, Math.floor(value)));
