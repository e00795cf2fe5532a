import { type Clock, type EventRecorder, errorMessage, type Logger, type Startable } from '@nodeagent/api';
import { createKernelLog, createOomWatcher } from '@nodeagent/oom-watcher';
import type { NodeAgentParts } from './agent-types.js';

export interface AgentOomWatcherOptions {
  nodeName: string;
  parts: Pick<NodeAgentParts, 'files' | 'kernelLog'>;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
}

/** Reports kills for want of memory where the kernel's log may be read; none in a simulation without a log of its own. */
export function createAgentOomWatcher({ nodeName, parts, clock, recorder, logger }: AgentOomWatcherOptions): Startable {
  if (parts.files !== undefined && parts.kernelLog === undefined) return { start: async () => {}, stop: async () => {} };
  const watcher = createOomWatcher({ nodeName, kernelLog: parts.kernelLog ?? createKernelLog({ clock }), recorder, logger });
  return {
    start: (signal) =>
      watcher.start(signal).catch((error) => {
        logger.info({ error: errorMessage(error), hint: error?.hint }, 'SystemOOM events are not reported');
      }),
    stop: watcher.stop,
  };
}
