import { invalidOption, type PodAdmitHandler, type Startable } from '@nodeagent/api';
import type { ShutdownInhibitor, ShutdownManager, ShutdownManagerOptions, ShutdownSettings } from '@nodeagent/node-shutdown';
import type { NodeAgentOptions } from './agent-types.js';
import type { NodeHost } from './host/node-host.js';

/** How much time pods have when the machine goes down, as KubeletConfiguration has it, and who tells that it does. */
export interface AgentShutdown extends ShutdownSettings {
  /**
   * Tells when the machine goes down, and holds it up. Default: the host's, which is systemd's logind on this machine; `false`: nobody but
   * who calls the agent's `shutdown()`.
   */
  inhibitor?: ShutdownInhibitor | false;
}

/** The parts of the agent that its shutdown uses. */
export type ShutdownContext = Omit<ShutdownManagerOptions, 'settings' | 'inhibitor' | 'state'> &
  Required<Pick<ShutdownManagerOptions, 'clock' | 'logger'>> & {
    agent: Pick<NodeAgentOptions, 'shutdown'>;
    host: Pick<NodeHost, 'loadShutdown'>;
  };

/** The end of an agent's node. */
export interface NodeShutdown extends Startable, Pick<ShutdownManager, 'shutdown' | 'shutdownError'>, PodAdmitHandler {}

/**
 * The agent's shutdown manager, which is loaded at the start if there is time for a graceful shutdown. Where the machine cannot be held up
 * the agent goes on and says so. Throws `InvalidOption` naming the period.
 */
export function createNodeShutdown({ agent, host, ...context }: ShutdownContext): NodeShutdown {
  const { inhibitor, ...settings } = agent.shutdown ?? {};
  checkPeriods(settings);
  const { logger } = context;
  let manager: ShutdownManager | undefined;
  const load = async () => {
    const { createShutdownManager, shutdownPeriods } = await import('@nodeagent/node-shutdown');
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
      // Not waited for: logind may be slow to take a longer time over.
      manager?.start(signal).catch((error) => {
        if (signal?.aborted) return;
        logger.warn({ err: error }, 'pods are not ended in order when the machine goes down');
      });
    },
    stop: async () => manager?.stop(),
    shutdown: async (signal) => manager?.shutdown(signal),
    shutdownError: () => manager?.shutdownError(),
    admit: (attributes) => manager?.admit(attributes) ?? { admit: true },
  };
}

function checkPeriods(settings: ShutdownSettings): void {
  const { shutdownGracePeriodSeconds: total = 0, shutdownGracePeriodCriticalPodsSeconds: critical = 0 } = settings;
  const { shutdownGracePeriodByPodPriority: byPriority = [] } = settings;
  const isSeconds = (value: number) => Number.isFinite(value) && value >= 0;
  const check = (field: string, value: number) => {
    if (!isSeconds(value)) throw invalidOption(`shutdown.${field}`, 'a number of seconds, 0 or more', value);
  };
  check('shutdownGracePeriodSeconds', total);
  check('shutdownGracePeriodCriticalPodsSeconds', critical);
  if (critical > total)
    throw invalidOption('shutdown.shutdownGracePeriodCriticalPodsSeconds', `at most ${total}, the whole period`, critical);
  for (const [index, { shutdownGracePeriodSeconds }] of byPriority.entries()) {
    check(`shutdownGracePeriodByPodPriority[${index}].shutdownGracePeriodSeconds`, shutdownGracePeriodSeconds);
  }
}
