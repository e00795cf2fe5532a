/**
 * Pure functions of the allocation manager: whether a resize fits, the order of retries, and the allocated resources of a pod.
 *
 * @packageDocumentation
 */
export { canResizePod, type InfeasibleDetail, type ResizeDecision, type ResizeInput } from './can-resize-pod.js';
export { type NodeResources, nodeResources, requestedResources, usedResources } from './node-resources.js';
export { allocationOf, updatePodFromAllocation } from './pod-allocation.js';
export { type PendingResize, sortPendingResizes } from './sort-pending-resizes.js';
