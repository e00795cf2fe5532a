import { cgroupfsPath, childCgroup, parseCgroupfsPath, podUid, type Startable, type StatsProvider, systemdPath } from '@nodeagent/api';
import { createVolumeStatsCache } from '@nodeagent/stats';
import type { AgentParts, Components } from '../components.js';

/** The stats provider, and the lifecycle of what it runs. */
export interface AgentStats extends Startable {
  readonly provider: StatsProvider | undefined;
}

/** Resource usage of the node and its pods: the stats provider of the options, else that of the host, if it has one. */
export function stats(c: Components): AgentParts['stats'] {
  const { agent, host, logFolders, settings, state, common } = c;
  const { nodeName, cri, rootDir, statsSource } = agent;
  const { clock, logger } = common;
  if (agent.stats !== undefined || host.createStats === undefined)
    return { provider: agent.stats, start: async () => {}, stop: async () => {} };
  const pods = () => state.podManager.pods();
  const volumeStats = createVolumeStatsCache({
    pods,
    source: { volumeStats: (pod, signal) => c.volumes.capabilities.measuring.volumeStats(pod, signal) },
    volumeStatsAggPeriodMs: settings.volumeStatsAggPeriodMs,
    ...common,
  });
  return {
    provider: host.createStats({
      nodeName,
      cri,
      ...(statsSource && { source: statsSource }),
      pods: () => pods().map((pod) => ({ ...pod, status: c.statusManager.getPodStatus(podUid(pod)) ?? {} })),
      rootDir,
      podLogsDir: logFolders.pods,
      volumes: volumeStats.of,
      ...(settings.cgroupRoot && { systemContainers: { pods: podsCgroupPaths(settings.cgroupRoot) } }),
      clock,
      logger,
    }),
    start: volumeStats.start,
    stop: volumeStats.stop,
  };
}

/** The cgroup of all pods below a `cgroupRoot`, for either cgroup driver. */
function podsCgroupPaths(cgroupRoot: string): string[] {
  const name = childCgroup(parseCgroupfsPath(cgroupRoot), 'kubepods');
  return [systemdPath(name), cgroupfsPath(name)];
}
