import { bool, message, string, strings } from './message.js';
import { service } from './method.js';

/** How plugins make themselves known (`pluginregistration.Registration`), served by each plugin on its socket below `plugins_registry`. */
export const registrationService = service('pluginregistration.Registration', {
  getInfo: [message({}), message({ type: string(1), name: string(2), endpoint: string(3), supportedVersions: strings(4) })],
  notifyRegistrationStatus: [message({ pluginRegistered: bool(1), error: string(2) }), message({})],
});
