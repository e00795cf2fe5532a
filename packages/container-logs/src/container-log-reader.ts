import { type Clock, type Logger, NodeAgentError, silentLogger, systemClock } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import { containerLogsErrorCodes } from './errors.js';
import { createLogReader, type LogReadOptions } from './read/log-reader.js';
import type { LogSource } from './read/log-source.js';
import { waitForContainerExit } from './wait-for-container-exit.js';

export interface ContainerLogReaderOptions {
  cri: Pick<RuntimeService, 'containerStatus'>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** Opens the logs: `nodeLogSource` of `@nodeagent/container-logs/node`. */
  source: LogSource;
}

/** Reads logs by container id. */
export interface ContainerLogReader {
  /**
   * The output of the container, both streams in order. `containerId` is `TYPE://ID`, as in a container's status. With `follow` it ends
   * when the container has terminated. Rejects with `LogUnavailable` if the runtime does not report the log's path, and as `LogReader` does.
   */
  read(
    containerId: string,
    options: Omit<LogReadOptions, 'ended' | 'signal'> & { signal: AbortSignal },
  ): AsyncGenerator<Uint8Array, void, void>;
}

/** Reads the log file in the runtime's ContainerStatus: the kubelet's `GetContainerLogs`. */
export function createContainerLogReader(options: ContainerLogReaderOptions): ContainerLogReader {
  const { cri, clock = systemClock, logger = silentLogger, source } = options;
  const reader = createLogReader({ clock, logger, source });
  return {
    async *read(fullId, { follow, ...options }) {
      const { signal } = options;
      const containerId = fullId.slice(fullId.indexOf('://') + '://'.length);
      const path = await logPath(cri, containerId, signal);
      if (!path) throw new NodeAgentError(containerLogsErrorCodes.logUnavailable, `unable to retrieve container logs for ${fullId}`);
      const ended = (until: AbortSignal) => waitForContainerExit({ cri, containerId, clock, signal: until });
      for await (const { data } of reader.read(path, { ...options, ...(follow && { follow, ended }) })) yield data;
    },
  };
}

async function logPath(cri: ContainerLogReaderOptions['cri'], containerId: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await cri.containerStatus({ containerId }, { signal })).status?.logPath;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}
