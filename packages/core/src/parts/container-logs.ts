import type { Clock, Logger, PodRuntimeStatus, Startable } from '@nodeagent/api';
import { createLogRotator, type LogRotatorOptions } from '@nodeagent/container-logs';
import { runningContainerIds } from '@nodeagent/pleg/decisions';
import type { NodeHost } from '../host/node-host.js';
import type { NodeAgentSettings } from '../options/settings.js';

export interface ContainerLogsOptions {
  cri: LogRotatorOptions['cri'];
  podLogsDir: string;
  podCache: { entries(): Iterable<[podUid: string, entry: { status: PodRuntimeStatus | undefined }]> };
  clock: Clock;
  logger: Logger;
  settings: Readonly<NodeAgentSettings>;
  host: Pick<NodeHost, 'logFiles'>;
}

/** Rotates the logs of the containers that run according to the pod cache, without listing them. A host without log files rotates none. */
export function createContainerLogs({ cri, podLogsDir, podCache, clock, logger, settings, host }: ContainerLogsOptions): Startable {
  const { logFiles } = host;
  const { containerLogMaxSize, containerLogMaxFiles, containerLogMaxWorkers, containerLogMonitorIntervalMs } = settings;
  return createLogRotator({
    cri,
    podLogsDir,
    runningContainers: () => runningContainerIds(podCache.entries()),
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
