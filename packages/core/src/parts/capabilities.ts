import type { AgentParts, Components } from '../components.js';
import { capabilitiesOf } from '../options/capabilities.js';
import { runtimeCapabilities } from '../options/runtime-capabilities.js';

/** What the runtime can do beyond its contract, determined once. */
export function capabilities({ runtime }: Components): AgentParts['capabilities'] {
  return capabilitiesOf('parts.runtime', runtime, runtimeCapabilities);
}
