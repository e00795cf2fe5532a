import type { ProbeManager, StatusManager } from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import { createPodProbeManager, type PodProbeManagerOptions } from '@nodeagent/prober';

/** The probes of an agent's pods, with exec probes over CRI. */
export function createPodProbes(
  options: Omit<PodProbeManagerOptions, 'podStatus' | 'runInContainer'> & {
    statusManager: Pick<StatusManager, 'getPodStatus'>;
    cri: Pick<RuntimeService, 'execSync'>;
  },
): ProbeManager {
  const { statusManager, cri, ...others } = options;
  return createPodProbeManager({
    ...others,
    podStatus: (uid) => statusManager.getPodStatus(uid),
    runInContainer: (containerId, cmd, { timeoutMs, signal }) =>
      cri.execSync({ containerId, cmd, timeout: BigInt(Math.ceil(timeoutMs / 1000)) }, { signal }),
  });
}
