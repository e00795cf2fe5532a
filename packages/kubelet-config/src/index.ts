/**
 * A kubelet's configuration file, `kubelet.config.k8s.io/v1beta1`: its fields, defaults, strict decoding, drop-in files and validation. All
 * functions are pure except `loadKubeletConfiguration`, which reads files through a small port.
 * @packageDocumentation
 */
export { defaultEvictionHard } from '@nodeagent/api/helpers';
export { type DecodedConfiguration, decodeConfiguration } from './decode.js';
export { setDefaults } from './defaults.js';
export { parseNanos } from './duration.js';
export { kubeletConfigErrorCodes } from './errors.js';
export { isGateEnabled, unknownGates } from './feature-gates.js';
export { type KubeletConfiguration, kubeletConfigurationFields } from './fields.js';
export { type ConfigFiles, nodeConfigFiles } from './files.js';
export { configurationToJson } from './json.js';
export {
  kubeletConfigurationApiVersion,
  kubeletConfigurationKind,
  type LoadedConfiguration,
  type LoadOptions,
  loadKubeletConfiguration,
} from './load.js';
export { printDefaults } from './print-defaults.js';
export { type ValidationOptions, validateKubeletConfiguration } from './validate/validate.js';
