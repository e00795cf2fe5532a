import type { Startable, StatsProvider } from '@nodeagent/api';
import { cgroupfsPath, childCgroup, parseCgroupfsPath, podUid, systemdPath } from '@nodeagent/api/helpers';
import { createVolumeStatsCache } from '@nodeagent/stats';
import type { AgentParts, Components } from '../components.js';

/** Started and stopped with the agent if it has `start` and `stop`. */
export type AgentStats = StatsProvider & Partial<Startable>;

/** Resource usage of the node and its pods; undefined if the host has none. */
export function stats(c: Components): AgentParts['stats'] {
  const { agent, host, logFolders, settings, state, common } = c;
  if (host.createStats === undefined) return undefined;
  const { nodeName, cri, rootDir, statsSource } = agent;
  const { clock, logger } = common;
  const pods = () => state.podManager.pods();
  const volumeStats = createVolumeStatsCache({
    pods,
    source: { volumeStats: (pod, signal) => c.volumes.measuring.volumeStats(pod, signal) },
    volumeStatsAggPeriodMs: settings.volumeStatsAggPeriodMs,
    ...common,
  });
  const provider = host.createStats({
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
  });
  return {
    summary: (request) => provider.summary(request),
    containerMetrics: (request) => provider.containerMetrics(request),
    resourceMetrics: (request) => provider.resourceMetrics(request),
    start: volumeStats.start,
    stop: volumeStats.stop,
  };
}

/** The cgroup of all pods below a `cgroupRoot`, for either cgroup driver. */
function podsCgroupPaths(cgroupRoot: string): string[] {
  const name = childCgroup(parseCgroupfsPath(cgroupRoot), 'kubepods');
  return [systemdPath(name), cgroupfsPath(name)];
}
