import {
  type Clock,
  type Logger,
  type Pod,
  type PodStatus,
  podUid,
  type Random,
  type Startable,
  type StatsProvider,
  type VolumeStatsSource,
} from '@nodeagent/api';
import { createVolumeStatsCache, type StatsSource } from '@nodeagent/stats';
import type { NodeHost } from '../host/node-host.js';
import type { CriServices } from '../options/cri-services.js';

export interface AgentStatsOptions {
  agent: { nodeName: string; cri: CriServices; rootDir: string; stats?: StatsProvider; statsSource?: StatsSource };
  host: Pick<NodeHost, 'createStats'>;
  podLogsDir: string;
  /** The pods that are measured. */
  pods(): Iterable<Pod>;
  /** Which of their containers run, for stats that do not ask the runtime. */
  podStatus(uid: string): PodStatus | undefined;
  /** Asked when volumes are measured. */
  volumes(): VolumeStatsSource;
  volumeStatsAggPeriodMs: number;
  clock: Clock;
  random: Random;
  logger: Logger;
}

/** What tells what the node and its pods use, and what has to run for that. */
export interface AgentStats extends Startable {
  readonly provider: StatsProvider | undefined;
}

/**
 * The agent's stats: those of the options, else those that the host measures, if it does.
 */
export function createAgentStats({ agent, host, volumes, podStatus, ...options }: AgentStatsOptions): AgentStats {
  const { nodeName, cri, rootDir, stats, statsSource } = agent;
  if (stats !== undefined || host.createStats === undefined) return { provider: stats, start: async () => {}, stop: async () => {} };
  const volumeStats = createVolumeStatsCache({
    ...options,
    source: { volumeStats: (pod, signal) => volumes().volumeStats(pod, signal) },
  });
  const { podLogsDir, clock, logger } = options;
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
      clock,
      logger,
    }),
    start: volumeStats.start,
    stop: volumeStats.stop,
  };
}
