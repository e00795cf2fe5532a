/**
 * The Node object of a node agent: registration, status, heartbeats, the lease, capacity and allocatable.
 * The pure functions of the package are in `@nodeagent/node-status/decisions`, the readers of this machine in `@nodeagent/node-status/node`.
 * @packageDocumentation
 */
export { nodeStatusErrorCodes } from './errors.js';
export { createNodeLease, type NodeLease, type NodeLeaseOptions } from './lease/node-lease.js';
export type { HugePages, MachineInfo } from './machine/machine-info.js';
export { createNodeStatusManager, type NodeStatusManager } from './manager/node-status-manager.js';
export type {
  NodeDevices,
  NodePressure,
  NodeRuntimeFacts,
  NodeStatusManagerOptions,
  NodeVolumes,
} from './manager/options.js';
export { type NodeStatusSettings, nodeStatusSettings } from './manager/settings.js';
export type { DeviceResources } from './status/capacity.js';
export { declaredFeatures } from './status/declared-features.js';
export type { NodeImage } from './status/images.js';
export type { NetworkFacts } from './status/node-addresses.js';
