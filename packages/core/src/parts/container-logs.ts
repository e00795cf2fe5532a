import { createLogRotator } from '@nodeagent/container-logs';
import { runningContainerIds } from '@nodeagent/pleg/decisions';
import type { AgentParts, Components } from '../components.js';

/** Rotates the logs of the containers that run according to the pod cache, without listing them. A host without log files rotates none. */
export function containerLogs({ agent, host, settings, state, common, logFolders }: Components): AgentParts['containerLogs'] {
  const { clock, logger } = common;
  const { logFiles } = host;
  const { containerLogMaxSize, containerLogMaxFiles, containerLogMaxWorkers, containerLogMonitorIntervalMs } = settings;
  return createLogRotator({
    cri: agent.cri.runtime,
    podLogsDir: logFolders.pods,
    runningContainers: () => runningContainerIds(state.podCache.entries()),
    clock,
    logger,
    ...(logFiles && { files: logFiles }),
    settings: {
      containerLogMaxSize: logFiles ? containerLogMaxSize : '-1',
      containerLogMaxFiles,
      containerLogMaxWorkers,
      containerLogMonitorIntervalMs,
    },
  });
}
