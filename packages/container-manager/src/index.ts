/**
 * The cgroups of a node: for all pods, for QoS classes and for each pod.
 *
 * @packageDocumentation
 */
export { type ContainerManager, createContainerManager } from './container-manager.js';
export { containerManagerErrorCodes } from './errors.js';
export { ensureKernelSettings, type KernelSettingFiles } from './kernel-settings.js';
export type { MemoryReservationPolicy } from './memory-reservation.js';
export type { ContainerManagerOptions } from './options.js';
export type { PodCgroup, PodContainerManager } from './pod-cgroups.js';
export type { PodCgroupSettings } from './pod-resources.js';
export { containerManagerSettings, type Enforcement } from './settings.js';
