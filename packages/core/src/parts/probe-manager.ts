import { createPodProbeManager } from '@nodeagent/prober';
import type { AgentParts, Components } from '../components.js';

/** Probes containers, over the host's network and CRI. */
export function probeManager({ agent, host, common, statusManager }: Components): AgentParts['probeManager'] {
  const runProbe = host.runProbe?.bind(host);
  return createPodProbeManager({
    ...common,
    podStatus: (uid) => statusManager.getPodStatus(uid),
    runInContainer: (containerId, cmd, { timeoutMs, signal }) =>
      agent.cri.runtime.execSync({ containerId, cmd, timeout: BigInt(Math.ceil(timeoutMs / 1000)) }, { signal }),
    network: host.probeNetwork,
    runProbe,
  });
}
