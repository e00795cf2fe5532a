/**
 * The Node object of a node agent: registration, status, heartbeats, the lease, capacity and allocatable.
 *
 * @packageDocumentation
 */
export { nodeStatusErrorCodes } from './errors.js';
export { type LeaseInput, leaseNamespace, newLease, nodeOwner, renewedLease } from './lease/lease-object.js';
export { createNodeLease, type NodeLease, type NodeLeaseOptions } from './lease/node-lease.js';
export { goArchitecture } from './machine/go-architecture.js';
export type { HugePages, MachineInfo } from './machine/machine-info.js';
export { createMachineReader, type MachineReaderOptions } from './machine/machine-reader.js';
export { createNetworkReader, type NetworkReaderOptions } from './machine/network-reader.js';
export { createNodeStatusManager, type NodeStatusManager } from './manager/node-status-manager.js';
export type {
  NodeDevices,
  NodePressure,
  NodeRuntimeFacts,
  NodeStatusManagerOptions,
  NodeStatusSettings,
  NodeVolumes,
} from './manager/options.js';
export { type PodCgroupConfig, type PodCgroupOptions, podCgroupConfig } from './pod-cgroup-config.js';
export { type CapacityInput, type DeviceResources, machineCapacity, nodeCapacity, podCapacity } from './status/capacity.js';
export {
  aggregateMessage,
  type ConditionChange,
  type PressureType,
  type ReadinessInput,
  type ReadyInput,
  readinessProblems,
  setPressureCondition,
  setReadyCondition,
} from './status/conditions.js';
export { declaredFeatures } from './status/declared-features.js';
export { type NodeImage, nodeImages } from './status/images.js';
export { attachDetachAnnotation, type InitialNodeInput, initialNode, providedNodeIPAnnotation } from './status/initial-node.js';
export { chooseResolved, type NetworkFacts, type NodeAddressInput, nodeAddresses } from './status/node-addresses.js';
export type { NodeFacts } from './status/node-facts.js';
export { nodeIPProblem } from './status/node-ip.js';
export { reconcileNode } from './status/reconcile-node.js';
export { decideNodeReport, type ReportInput } from './status/report.js';
export {
  nodeReservation,
  podsCgroupLimits,
  type ReservationInput,
  type ReservingThreshold,
  validateReservation,
} from './status/reservation.js';
export {
  formatRuntimeCondition,
  networkErrors,
  type RuntimeConditionLike,
  type RuntimeHealthInput,
  runtimeErrors,
} from './status/runtime-health.js';
export { nodeStatusChanged } from './status/semantic-equal.js';
export { type NodeEvent, setNodeStatus } from './status/set-node-status.js';
export { type StandaloneNodeInput, standaloneNode } from './status/standalone-node.js';
export { nodeStatusPatch } from './status/status-patch.js';
