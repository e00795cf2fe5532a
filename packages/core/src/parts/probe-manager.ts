import { createPodProbeManager } from '@nodeagent/prober';
import type { AgentParts, Components } from '../components.js';

/** Probes containers: `probeManager` of the options, else over the network and CRI. */
export function probeManager({ agent, common, statusManager }: Components): AgentParts['probeManager'] {
  if (agent.probeManager) return agent.probeManager;
  const runProbe = agent.parts?.runProbe;
  return createPodProbeManager({
    ...common,
    podStatus: (uid) => statusManager.getPodStatus(uid),
    runInContainer: (containerId, cmd, { timeoutMs, signal }) =>
      agent.cri.runtime.execSync({ containerId, cmd, timeout: BigInt(Math.ceil(timeoutMs / 1000)) }, { signal }),
    ...(runProbe && { runProbe }),
  });
}
