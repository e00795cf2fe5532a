import type { PodAdmitHandler, Startable } from '@nodeagent/api';
import { checkShutdownSettings, createShutdownManager, type ShutdownManager } from '@nodeagent/node-shutdown';
import { shutdownPeriods } from '@nodeagent/node-shutdown/decisions';
import { waitForAllPodsUnmount } from '@nodeagent/volume-manager';
import type { AgentParts, Components } from '../components.js';

/** Graceful node shutdown. */
export interface NodeShutdown extends Startable, Pick<ShutdownManager, 'shutdown' | 'shutdownError'>, PodAdmitHandler {}

/**
 * Terminates pods by priority when the machine shuts down; created at start if a grace period is configured. If the machine's shutdown cannot
 * be delayed the agent logs it and continues. Throws `InvalidOption` naming the period.
 */
export function nodeShutdown(c: Components): AgentParts['nodeShutdown'] {
  const { agent, common } = c;
  const { inhibitor: _, ...settings } = agent.shutdown ?? {};
  checkShutdownSettings(settings, 'shutdown');
  const isConfigured = shutdownPeriods(settings).length > 0;
  let manager: ShutdownManager | undefined;
  return {
    async start(signal) {
      if (!isConfigured) return;
      manager ??= await createManager(c);
      // Not awaited: logind may be slow to apply a longer InhibitDelayMaxSec.
      manager.start(signal).catch((error) => {
        if (signal?.aborted) return;
        common.logger.warn({ err: error }, "cannot delay the machine's shutdown: pods will not terminate gracefully");
      });
    },
    stop: async () => manager?.stop(),
    shutdown: async (signal) => manager?.shutdown(signal),
    shutdownError: () => manager?.shutdownError(),
    admit: (attributes) => manager?.admit(attributes) ?? { admit: true },
  };
}

async function createManager(c: Components): Promise<ShutdownManager> {
  const { agent, host, common } = c;
  const { inhibitor, ...settings } = agent.shutdown ?? {};
  const ofHost = await host.loadShutdown?.();
  const chosen = inhibitor ?? ofHost?.inhibitor;
  return createShutdownManager({
    nodeName: agent.nodeName,
    settings,
    activePods: () => c.node.activePods(),
    killPod: (pod, kill) => c.podWorkers.killPodNow(pod, kill),
    waitForUnmount: (pods, signal) => waitForAllPodsUnmount(c.volumeManager, pods, signal),
    syncNodeStatus: async () => c.cluster?.node?.syncNodeStatus(),
    ...(chosen && { inhibitor: chosen }),
    ...(ofHost && { state: ofHost.state }),
    ...common,
  });
}
