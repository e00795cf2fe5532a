import type { AgentParts, Components } from '../components.js';

/** Objects that environments and volumes refer to: those of the options before those of the cluster. */
export function environment({ agent, cluster }: Components): AgentParts['environment'] {
  return { ...cluster?.objects?.environment, ...agent.environment };
}
