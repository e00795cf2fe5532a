import { createOomWatcher } from '@nodeagent/oom-watcher';
import type { AgentParts, Components } from '../components.js';

/** Reports OOM kills if the host has a readable kernel log. */
export function oomWatcher({ agent, host, common }: Components): AgentParts['oomWatcher'] {
  const { kernelLog } = host;
  if (kernelLog === undefined) return { start: async () => {}, stop: async () => {} };
  const watcher = createOomWatcher({ nodeName: agent.nodeName, kernelLog, ...common });
  return {
    start: (signal) =>
      watcher.start(signal).catch((error) => {
        common.logger.info({ err: error }, 'cannot read the kernel log: SystemOOM events are not reported');
      }),
    stop: watcher.stop,
  };
}
