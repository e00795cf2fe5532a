import type { Clock, Logger, PodRuntimeStatus, Startable } from '@nodeagent/api';
import { createLogRotator, type LogRotatorOptions } from '@nodeagent/container-logs';
import type { NodeAgentParts } from './agent-types.js';
import type { NodeAgentSettings } from './settings.js';

export interface ContainerLogsOptions {
  cri: LogRotatorOptions['cri'];
  podCache: { entries(): Iterable<[podUid: string, entry: { status: PodRuntimeStatus | undefined }]> };
  clock: Clock;
  logger: Logger;
  settings: Readonly<NodeAgentSettings>;
  parts: Pick<NodeAgentParts, 'files' | 'logFiles'>;
}

/** Rotates the logs of the containers that the pod cache says run: no listing of its own. */
export function createContainerLogs({ cri, podCache, clock, logger, settings, parts }: ContainerLogsOptions): Startable {
  const { files, logFiles } = parts;
  const { containerLogMaxSize, containerLogMaxFiles, containerLogMaxWorkers, containerLogMonitorIntervalMs } = settings;
  const isSimulated = files !== undefined && logFiles === undefined;
  return createLogRotator({
    cri,
    runningContainers: () => runningContainerIds(podCache.entries()),
    clock,
    logger,
    ...(logFiles && { files: logFiles }),
    settings: {
      containerLogMaxSize: isSimulated ? '-1' : containerLogMaxSize,
      containerLogMaxFiles,
      containerLogMaxWorkers,
      containerLogMonitorIntervalMs,
    },
  });
}

function* runningContainerIds(entries: Iterable<[podUid: string, entry: { status: PodRuntimeStatus | undefined }]>): Iterable<string> {
  for (const [, { status }] of entries) {
    for (const { id, state } of status?.containerStatuses ?? []) if (state === 'running') yield id;
  }
}
