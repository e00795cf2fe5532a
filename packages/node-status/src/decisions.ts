/**
 * Pure decisions of node status: a Node's capacity, reservation, conditions, addresses and lease, what changed, and when it is reported.
 * @packageDocumentation
 */
export { type LeaseInput, leaseNamespace, newLease, nodeOwner, renewedLease } from './lease/lease-object.js';
export { nodeLeaseSettings } from './lease/settings.js';
export { goArchitecture } from './machine/go-architecture.js';
export { type NodeStatusSettings, nodeStatusSettings } from './manager/settings.js';
export { type CapacityInput, machineCapacity, nodeCapacity, podCapacity } from './status/capacity.js';
export {
  aggregateMessage,
  type ConditionChange,
  type NodeConditionsInput,
  type PressureType,
  type ReadinessInput,
  type ReadyInput,
  readinessProblems,
  setNodeConditions,
  setPressureCondition,
  setReadyCondition,
} from './status/conditions.js';
export { nodeImages } from './status/images.js';
export { attachDetachAnnotation, type InitialNodeInput, initialNode, providedNodeIPAnnotation } from './status/initial-node.js';
export { chooseResolved, type NodeAddressInput, nodeAddresses } from './status/node-addresses.js';
export type { NodeStatusFacts } from './status/node-facts.js';
export { nodeIPProblem } from './status/node-ip.js';
export { reconcileNode } from './status/reconcile-node.js';
export { decideNodeReport, type ReportInput } from './status/report.js';
export { nodeReservation, type ReservationInput, validateReservation } from './status/reservation.js';
export {
  formatRuntimeCondition,
  networkErrors,
  type RuntimeConditionLike,
  type RuntimeHealthInput,
  runtimeErrors,
} from './status/runtime-health.js';
export { nodeStatusChanged } from './status/semantic-equal.js';
export { type NodeEvent, nodeSwap, setNodeStatus } from './status/set-node-status.js';
export { type StandaloneNodeInput, standaloneNode } from './status/standalone-node.js';
export { nodeStatusPatch } from './status/status-patch.js';
