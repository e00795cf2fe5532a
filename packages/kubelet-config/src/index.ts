/**
 * A kubelet's configuration file, `kubelet.config.k8s.io/v1beta1`: its fields, defaults, strict decoding, and validation. All functions are
 * pure; `@nodeagent/kubelet-config/node` reads files.
 * @packageDocumentation
 */
export { defaultEvictionHard } from '@nodeagent/api/helpers';
export { type DecodedConfiguration, decodeConfiguration } from './decode.js';
export { kubeletConfigurationApiVersion, kubeletConfigurationKind } from './decode-text.js';
export { setDefaults } from './defaults.js';
export { parseNanos } from './duration.js';
export { kubeletConfigErrorCodes } from './errors.js';
export { isGateEnabled, unknownGates } from './feature-gates.js';
export { type KubeletConfiguration, kubeletConfigurationFields } from './fields.js';
export { configurationToJson } from './json.js';
export { type ParsedConfiguration, parseKubeletConfiguration } from './parse.js';
export { printDefaults } from './print-defaults.js';
export { type ValidationOptions, validateKubeletConfiguration } from './validate/validate.js';
