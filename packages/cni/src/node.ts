/**
 * CNI on this machine: the folders of configurations, plugins and results, network namespaces, and the process of a plugin.
 *
 * @packageDocumentation
 */
export { createNetworkFolder, type NetworkFolderOptions } from './node/network-folder.js';
export { createNetworkNamespaces, type NetworkNamespacesOptions } from './node/network-namespaces.js';
export { createNodeCni, type NodeCniOptions } from './node/node-cni.js';
export { createPluginRunner, type PluginRunnerOptions } from './node/plugin-runner.js';
export { serveCniPlugin } from './node/serve-cni-plugin.js';
