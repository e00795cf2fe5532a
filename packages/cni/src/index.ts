/**
 * Container networks by CNI plugins, as a container runtime drives them. The ports of this machine are in `@nodeagent/cni/node`, the pure
 * functions in `@nodeagent/cni/decisions`.
 *
 * @packageDocumentation
 */

export type { PodNetworkConfig } from './attach/pod-args.js';
export type { AttachmentKey, ResultStores, TextStore } from './attach/result-cache.js';
export type { Cni, CniOptions, NetworkStatus, PluginRunner } from './cni.js';
export { createCni } from './create-cni.js';
export { cniErrorCodes } from './errors.js';
export { fixedNetworks, type NetworkSource } from './network-source.js';
export { type CniPlugin, type CniResultInput, pluginError, type ServedCall, type ServedCollection } from './plugin/answer-call.js';
export type { PluginCall, PluginOutput, RunCniPlugin } from './plugin/run-plugin.js';
export {
  createPodNetworks,
  type NetworkNamespaces,
  type PodNetwork,
  type PodNetworkRequest,
  type PodNetworks,
  type PodNetworksOptions,
} from './pod-networks.js';
export type {
  CapabilityArgs,
  CniAttachment,
  CniBandwidth,
  CniCommand,
  CniDns,
  CniInterface,
  CniIP,
  CniNetwork,
  CniPluginConfig,
  CniPortMapping,
  CniResult,
  CniRoute,
} from './types.js';
export type { CniVersion } from './versions.js';
