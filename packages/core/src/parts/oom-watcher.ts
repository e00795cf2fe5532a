import type { EventRecorder, Logger, Startable } from '@nodeagent/api';
import { createOomWatcher } from '@nodeagent/oom-watcher';
import type { NodeHost } from '../host/node-host.js';

export interface AgentOomWatcherOptions {
  nodeName: string;
  host: Pick<NodeHost, 'kernelLog'>;
  recorder: EventRecorder;
  logger: Logger;
}

/** Reports OOM kills if the host has a readable kernel log. */
export function createAgentOomWatcher({ nodeName, host, recorder, logger }: AgentOomWatcherOptions): Startable {
  const { kernelLog } = host;
  if (kernelLog === undefined) return { start: async () => {}, stop: async () => {} };
  const watcher = createOomWatcher({ nodeName, kernelLog, recorder, logger });
  return {
    start: (signal) =>
      watcher.start(signal).catch((error) => {
        logger.info({ err: error }, 'cannot read the kernel log: SystemOOM events are not reported');
      }),
    stop: watcher.stop,
  };
}
