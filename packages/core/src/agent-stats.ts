import type { Clock, Logger, NodeVolumes, Pod, Random, Startable } from '@nodeagent/api';
import { createStatsProvider, createVolumeStatsCache, type StatsProvider } from '@nodeagent/stats';
import type { NodeAgentOptions } from './agent-types.js';

export interface AgentStatsOptions {
  agent: Pick<NodeAgentOptions, 'nodeName' | 'cri' | 'rootDir' | 'stats' | 'parts'>;
  podLogsDir: string;
  /** The pods whose volumes are measured. */
  pods(): Iterable<Pod>;
  /** Asked when volumes are measured. */
  volumes(): Partial<Pick<NodeVolumes, 'volumeStats'>>;
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
 * The agent's stats: those of the options, else what its runtime and this machine's cgroups and file systems tell; none where pods have no
 * folders on this machine, for its figures would say nothing of them.
 */
export function createAgentStats({ agent, volumes, ...options }: AgentStatsOptions): AgentStats {
  const { nodeName, cri, rootDir, stats, parts } = agent;
  if (stats !== undefined || parts?.podDirs !== undefined) return { provider: stats, start: async () => {}, stop: async () => {} };
  const volumeStats = createVolumeStatsCache({
    ...options,
    source: { volumeStats: async (pod, signal) => (await volumes().volumeStats?.(pod, signal)) ?? { ephemeral: [], persistent: [] } },
  });
  const { podLogsDir, clock, logger } = options;
  return {
    provider: createStatsProvider({ nodeName, cri, rootDir, podLogsDir, volumes: volumeStats.of, clock, logger }),
    start: volumeStats.start,
    stop: volumeStats.stop,
  };
}
