import type { AgentParts, Components } from '../components.js';
import { capabilitiesOf } from '../options/capabilities.js';
import { volumeCapabilities } from '../options/volume-capabilities.js';

/** What the volume manager can do beyond its contract, determined once. */
export function volumes({ volumeManager }: Components): AgentParts['volumes'] {
  return capabilitiesOf('parts.volumeManager', volumeManager, volumeCapabilities);
}
