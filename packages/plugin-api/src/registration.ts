import { bool, message, string, strings } from '@nodeagent/protobuf';
import { service } from './method.js';

/** The registration service (`pluginregistration.Registration`) that each plugin serves on its socket in `plugins_registry`. */
export const registrationService = service('pluginregistration.Registration', {
  getInfo: [message({}), message({ type: string(1), name: string(2), endpoint: string(3), supportedVersions: strings(4) })],
  notifyRegistrationStatus: [message({ pluginRegistered: bool(1), error: string(2) }), message({})],
});
