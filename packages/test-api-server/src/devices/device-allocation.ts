import type { DeviceAllocation } from '@nodeagent/test-controllers';
import { type ApiContext, newUid } from '../context.js';

/** What the scheduler needs of the server to allocate devices; selectors load CEL. */
export const deviceAllocation = (context: ApiContext): DeviceAllocation => ({
  loadMatcher: async () => (await import('./device-selectors.js')).createDeviceMatcher(),
  newShareID: () => newUid(context),
});
