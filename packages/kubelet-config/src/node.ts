/**
 * Loads a kubelet's configuration from files of this machine: `--config` and the drop-in files of `--config-dir`.
 *
 * @packageDocumentation
 */
export { type ConfigFiles, nodeConfigFiles } from './files.js';
export { type LoadedConfiguration, type LoadOptions, loadKubeletConfiguration } from './load-files.js';
