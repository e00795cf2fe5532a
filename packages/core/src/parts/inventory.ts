import { createRuntimeInventory } from '@nodeagent/runtime-manager';
import type { AgentParts, Components } from '../components.js';

/** The runtime's version and images. */
export function inventory({ agent, common, runtime, capabilities }: Components): AgentParts['inventory'] {
  return createRuntimeInventory({ runtime, versioned: capabilities.versioned, imageService: agent.cri.image, ...common });
}
