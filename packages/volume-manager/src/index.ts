/**
 * Mounts the volumes of a node's pods and unmounts those that no pod uses, as a kubelet does.
 * The pure functions and parts that it is made of are in `@nodeagent/volume-manager/decisions`.
 *
 * @packageDocumentation
 */
export { volumeManagerErrorCodes } from './errors.js';
export type { VolumeManagerOptions, VolumeManagerSettings } from './options.js';
export type { PodStates } from './populator/populator.js';
export type { ClaimGetters } from './populator/volume-spec.js';
export { createVolumeManager } from './volume-manager.js';
export { waitForAllPodsUnmount } from './wait-for-all-pods-unmount.js';
