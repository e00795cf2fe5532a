/**
 * Admission of pods and their allocated resources: which pods a node takes, what each was granted, and which resizes in place it grants.
 *
 * @packageDocumentation
 */
export { type ActivePodsOptions, activePods } from './active-pods.js';
export { createAllocationManager } from './allocation-manager.js';
export { type AllocationStore, createFileAllocationStore } from './allocation-store.js';
export { canResizePod, type InfeasibleDetail, type ResizeDecision, type ResizeInput } from './can-resize-pod.js';
export { type Allocations, decodeCheckpoint, encodeCheckpoint } from './checkpoint.js';
export { allocationErrorCodes } from './errors.js';
export { type NodeResources, nodeResources, requestedResources, usedResources } from './node-resources.js';
export type { AllocationManagerOptions } from './options.js';
export { allocationOf, type PodAllocation, updatePodFromAllocation } from './pod-allocation.js';
export { type PodRefusal, type RejectPodPorts, rejectedPodStatus, rejectPod } from './reject-pod.js';
export { type PendingResize, sortPendingResizes } from './sort-pending-resizes.js';
