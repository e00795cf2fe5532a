/**
 * Pure decisions of the container manager: the limits of cgroups.
 *
 * @packageDocumentation
 */
export { kernelSettings } from './kernel-settings.js';
export { type MemoryReservationPolicy, memoryReservation } from './memory-reservation.js';
export { type NodeCgroupSettings, nodeCgroupResources, type PodsCgroupInput, podsCgroupLimits } from './node-resources.js';
export { type PodCgroupSettings, podCgroupResources } from './pod-resources.js';
export { type QosCgroup, type QosCgroupSettings, qosCgroupResources } from './qos-resources.js';
