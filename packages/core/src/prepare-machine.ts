import { type Logger, NodeAgentError } from '@nodeagent/api';
import type { NodeAgentSettings } from './config/settings.js';
import { coreErrorCodes } from './errors.js';
import type { NodeHost } from './host/node-host.js';

export interface MachinePreparation {
  host: Pick<NodeHost, 'machine' | 'setOomScoreAdj'>;
  settings: Pick<NodeAgentSettings, 'failSwapOn' | 'failCgroupV1' | 'oomScoreAdj'>;
  logger: Logger;
}

/**
 * Checks the machine against the settings, and sets how early the kernel kills the agent when memory runs out. Rejects with `MachineRejected`.
 * A score that cannot be set is logged.
 */
export async function prepareMachine({ host, settings, logger }: MachinePreparation): Promise<void> {
  const { swapBytes, cgroupVersion } = host.machine;
  if (settings.failSwapOn && swapBytes > 0n) {
    throw new NodeAgentError(
      coreErrorCodes.machineRejected,
      'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false',
      { hint: 'Run swapoff --all, or set failSwapOn to false in the configuration.' },
    );
  }
  if (settings.failCgroupV1 && cgroupVersion === 1) {
    throw new NodeAgentError(
      coreErrorCodes.machineRejected,
      'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported and will be removed in a future release',
      { hint: 'Boot the machine with cgroup v2, or set failCgroupV1 to false in the configuration.' },
    );
  }
  if (settings.oomScoreAdj === undefined) return;
  try {
    await host.setOomScoreAdj?.(settings.oomScoreAdj);
  } catch (error) {
    const message = 'the agent keeps its oom_score_adj: a lower one needs the capability CAP_SYS_RESOURCE';
    logger.info({ err: error, oomScoreAdj: settings.oomScoreAdj }, message);
  }
}
