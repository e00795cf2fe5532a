/**
 * The decisions of an allocation manager: whether a node can grant a resize, in which order it tries, and what a pod was granted.
 *
 * @packageDocumentation
 */
export { canResizePod, type InfeasibleDetail, type ResizeDecision, type ResizeInput } from './can-resize-pod.js';
export { decodeCheckpoint, encodeCheckpoint } from './checkpoint.js';
export { type NodeResources, nodeResources, requestedResources, usedResources } from './node-resources.js';
export { allocationOf, updatePodFromAllocation } from './pod-allocation.js';
export { type PendingResize, sortPendingResizes } from './sort-pending-resizes.js';
