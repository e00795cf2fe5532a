import type { PodAdmitHandler, Startable } from '@nodeagent/api';
import { checkShutdownSettings, createShutdownManager, type ShutdownManager, type ShutdownManagerOptions } from '@nodeagent/node-shutdown';
import { shutdownPeriods } from '@nodeagent/node-shutdown/decisions';
import type { NodeHost } from '../host/node-host.js';
import type { AgentShutdown } from '../options/agent-options.js';

/** The parts of the agent that the shutdown uses. */
export type ShutdownContext = Omit<ShutdownManagerOptions, 'settings' | 'inhibitor' | 'state'> &
  Required<Pick<ShutdownManagerOptions, 'clock' | 'logger'>> & {
    agent: { shutdown?: AgentShutdown };
    host: Pick<NodeHost, 'loadShutdown'>;
  };

/** Graceful node shutdown. */
export interface NodeShutdown extends Startable, Pick<ShutdownManager, 'shutdown' | 'shutdownError'>, PodAdmitHandler {}

/**
 * The agent's shutdown manager, loaded at start if a grace period is configured. If the machine's shutdown cannot be delayed the agent logs
 * it and continues. Throws `InvalidOption` naming the period.
 */
export function createNodeShutdown({ agent, host, ...context }: ShutdownContext): NodeShutdown {
  const { inhibitor, ...settings } = agent.shutdown ?? {};
  checkShutdownSettings(settings, 'shutdown');
  const { logger } = context;
  let manager: ShutdownManager | undefined;
  const load = async () => {
    if (shutdownPeriods(settings).length === 0) return undefined;
    const own = await host.loadShutdown?.();
    const chosen = inhibitor ?? own?.inhibitor;
    return createShutdownManager({
      ...context,
      settings,
      ...(chosen && { inhibitor: chosen }),
      ...(own && { state: own.state }),
    });
  };
  return {
    async start(signal) {
      if (agent.shutdown === undefined) return;
      manager ??= await load();
      // Not awaited: logind may be slow to apply a longer InhibitDelayMaxSec.
      manager?.start(signal).catch((error) => {
        if (signal?.aborted) return;
        logger.warn({ err: error }, "cannot delay the machine's shutdown: pods will not terminate gracefully");
      });
    },
    stop: async () => manager?.stop(),
    shutdown: async (signal) => manager?.shutdown(signal),
    shutdownError: () => manager?.shutdownError(),
    admit: (attributes) => manager?.admit(attributes) ?? { admit: true },
  };
}
