import type { Clock, FsStats, Pod, PodStats, StatsProvider, Summary } from '@nodeagent/api';

/** Usage of a pod: nanocores and bytes. */
export interface PodUsage {
  nanoCores: number;
  memoryBytes: number;
}

const mib = 2 ** 20;
const gib = 2 ** 30;

/** Stats of a small node, which change with the clock alone: every run of a scene has the same. */
export function createSceneStats(clock: Clock, pods: () => readonly Pod[], usageOf: (name: string) => PodUsage): StatsProvider {
  const summary = async (): Promise<Summary> => {
    const time = new Date(clock.now()).toISOString();
    const wave = 1 + Math.sin(clock.now() / 90_000) / 3;
    const stats = pods().map((pod) => podStats(pod, time, usageOf(pod.metadata?.name ?? ''), wave));
    const used = stats.reduce((sum, { memory }) => sum + Number(memory?.workingSetBytes ?? 0), 1.1 * gib);
    const disk = { time, capacityBytes: BigInt(100 * gib), availableBytes: BigInt(Math.round(17.4 * gib)), usedBytes: BigInt(80 * gib) };
    const fs: FsStats = { ...disk, inodes: 6_553_600n, inodesFree: 6_010_112n };
    return {
      node: {
        nodeName: 'edge-1',
        startTime: '2026-05-30T06:12:00Z',
        cpu: { time, usageNanoCores: BigInt(Math.round(0.6e9 * wave)) },
        memory: { time, availableBytes: BigInt(Math.round(8 * gib - used)), workingSetBytes: BigInt(Math.round(used)) },
        network: { time, name: 'eth0', rxBytes: BigInt(Math.round(clock.now() / 9)), txBytes: BigInt(Math.round(clock.now() / 31)) },
        fs,
        runtime: { imageFs: fs, containerFs: fs },
        rlimit: { time, maxpid: 32_768n, curproc: 412n },
        systemContainers: [{ name: 'pods', startTime: time, memory: { time, workingSetBytes: BigInt(Math.round(used - 1.1 * gib)) } }],
      },
      pods: stats,
    };
  };
  return { summary, containerMetrics: async () => '', resourceMetrics: async () => '' };
}

function podStats({ metadata, spec }: Pod, time: string, { nanoCores, memoryBytes }: PodUsage, wave: number): PodStats {
  const cpu = { time, usageNanoCores: BigInt(Math.round(nanoCores * wave)) };
  const memory = { time, workingSetBytes: BigInt(Math.round((memoryBytes * (0.8 + wave / 5)) / mib)) * BigInt(mib) };
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const part = (total: bigint) => total / BigInt(names.length || 1);
  return {
    podRef: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '', uid: metadata?.uid ?? '' },
    startTime: time,
    cpu,
    memory,
    network: { time, name: 'eth0', rxBytes: 0n, txBytes: 0n },
    containers: names.map((name) => ({
      name,
      startTime: time,
      cpu: { time, usageNanoCores: part(cpu.usageNanoCores) },
      memory: { time, workingSetBytes: part(memory.workingSetBytes) },
    })),
  };
}
