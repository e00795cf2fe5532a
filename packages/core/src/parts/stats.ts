import {
  type Clock,
  cgroupfsPath,
  childCgroup,
  type Logger,
  type Pod,
  type PodStatus,
  parseCgroupfsPath,
  podUid,
  type Random,
  type Startable,
  type StatsProvider,
  systemdPath,
  type VolumeStatsSource,
} from '@nodeagent/api';
import { createVolumeStatsCache, type StatsSource } from '@nodeagent/stats';
import type { NodeHost } from '../host/node-host.js';
import type { CriServices } from '../options/cri-services.js';

export interface AgentStatsOptions {
  agent: { nodeName: string; cri: CriServices; rootDir: string; stats?: StatsProvider; statsSource?: StatsSource };
  host: Pick<NodeHost, 'createStats'>;
  podLogsDir: string;
  /** The pods to measure. */
  pods(): Iterable<Pod>;
  /** Status of a pod, which contains the running containers; for stats that do not come from the runtime. */
  podStatus(uid: string): PodStatus | undefined;
  /** Called at each measurement of volumes. */
  volumes(): VolumeStatsSource;
  volumeStatsAggPeriodMs: number;
  /** `cgroupRoot` of the settings. */
  cgroupRoot: string;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** The stats provider, and the lifecycle of what it runs. */
export interface AgentStats extends Startable {
  readonly provider: StatsProvider | undefined;
}

/** The cgroup of all pods below a `cgroupRoot`, for either cgroup driver. */
function podsCgroupPaths(cgroupRoot: string): string[] {
  const name = childCgroup(parseCgroupfsPath(cgroupRoot), 'kubepods');
  return [systemdPath(name), cgroupfsPath(name)];
}

/** The stats provider of the options, else that of the host, if it has one. */
export function createAgentStats({ agent, host, volumes, podStatus, podLogsDir, cgroupRoot, ...options }: AgentStatsOptions): AgentStats {
  const { nodeName, cri, rootDir, stats, statsSource } = agent;
  if (stats !== undefined || host.createStats === undefined) return { provider: stats, start: async () => {}, stop: async () => {} };
  const volumeStats = createVolumeStatsCache({
    ...options,
    source: { volumeStats: (pod, signal) => volumes().volumeStats(pod, signal) },
  });
  const { clock, logger } = options;
  const podsAsTheyAre = () => [...options.pods()].map((pod) => ({ ...pod, status: podStatus(podUid(pod)) ?? {} }));
  return {
    provider: host.createStats({
      nodeName,
      cri,
      ...(statsSource && { source: statsSource }),
      pods: podsAsTheyAre,
      rootDir,
      podLogsDir,
      volumes: volumeStats.of,
      ...(cgroupRoot && { systemContainers: { pods: podsCgroupPaths(cgroupRoot) } }),
      clock,
      logger,
    }),
    start: volumeStats.start,
    stop: volumeStats.stop,
  };
}
