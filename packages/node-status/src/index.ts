/**
 * The Node object of a node agent: registration, status and heartbeats, the lease, capacity and allocatable, and the admission of pods.
 *
 * @packageDocumentation
 */

export { hostPortsConflict } from './admission/host-ports.js';
export {
  createPredicateAdmitHandler,
  type PredicateAdmitAttributes,
  type PredicateAdmitHandler,
  type PredicateAdmitHandlerOptions,
  type PredicateAdmitResult,
} from './admission/predicate-admit-handler.js';
export {
  describeFailure,
  fitFailures,
  type PredicateFailure,
  type PredicateName,
  platformRefusal,
  type Refusal,
} from './admission/predicates.js';
export { createPreempter, type PreempterOptions, preemptedStatus } from './admission/preempter.js';
export { preemptionVictims } from './admission/preemption.js';
export { missingAmount, type ResourceRequirement, type Shortage } from './admission/requirement.js';
export { nodeStatusErrorCodes } from './errors.js';
export type { HugePages, MachineInfo } from './machine/machine-info.js';
export { type PodCgroupConfig, type PodCgroupOptions, podCgroupConfig } from './pod-cgroup-config.js';
export {
  type ShutdownGroup,
  type ShutdownPeriod,
  type ShutdownSettings,
  shutdownGroups,
  shutdownPeriods,
  shutdownSeconds,
} from './shutdown-groups.js';
export { type CapacityInput, type DeviceResources, nodeCapacity, podCapacity } from './status/capacity.js';
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
export {
  nodeReservation,
  podsCgroupLimits,
  type ReservationInput,
  type ReservingThreshold,
  validateReservation,
} from './status/reservation.js';
export { isExtendedResource, isHugePages, isScalarResource } from './status/resource-names.js';
export {
  formatRuntimeCondition,
  networkErrors,
  type RuntimeConditionLike,
  type RuntimeHealthInput,
  runtimeErrors,
} from './status/runtime-health.js';
