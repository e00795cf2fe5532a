/**
 * Admission of pods and their allocated resources: which pods a node takes, what each was granted, and which resizes in place it grants.
 * The pure functions and parts that it is made of are in `@nodeagent/allocation/decisions`.
 *
 * @packageDocumentation
 */
export { type ActivePodsOptions, activePods } from './active-pods.js';
export { createAllocationManager } from './allocation-manager.js';
export { type AllocationStore, createFileAllocationStore } from './allocation-store.js';
export type { Allocations } from './checkpoint.js';
export { allocationErrorCodes } from './errors.js';
export type { AllocationManagerOptions } from './options.js';
export type { PodAllocation } from './pod-allocation.js';
export { type PodRefusal, type RejectPodPorts, rejectedPodStatus, rejectPod } from './reject-pod.js';
