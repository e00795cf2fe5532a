/**
 * Admission of pods, their allocated resources, and in-place resizes. The pure functions are exported from
 * `@nodeagent/allocation/decisions`.
 *
 * @packageDocumentation
 */
export { type ActivePodsOptions, activePods } from './active-pods.js';
export { createAllocationManager } from './allocation-manager.js';
export type { AllocationStore } from './allocation-store.js';
export { allocationErrorCodes } from './errors.js';
export type { AllocationManagerOptions } from './options.js';
export type { Allocations, PodAllocation } from './pod-allocation.js';
export { type PodRefusal, type RejectPodPorts, rejectedPodStatus, rejectPod } from './reject-pod.js';
