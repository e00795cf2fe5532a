/**
 * Volumes in memory with the kubelet's in-tree plugins, the content of volumes, and tokens of pods. `@nodeagent/volume-plugins/node` mounts
 * volumes on this machine.
 *
 * @packageDocumentation
 */
export { volumePluginsErrorCodes } from './errors.js';
export { createMemoryVolumes, type MemoryVolumeFiles, type MemoryVolumes, type MemoryVolumesOptions } from './memory-volumes.js';
export { createPayloadSources, type PayloadSourcesOptions } from './payload/create-payload-sources.js';
export type { FileProjection, Payload } from './payload/payload.js';
export type { PayloadSources } from './payload/payload-sources.js';
export type { VolumePluginsOptions } from './plugins/create-plugins.js';
export type { PodVolumes, PodVolumesOptions, PodWithVolumes } from './pod-volumes.js';
export { createTokenManager, type TokenManager, type TokenManagerOptions } from './tokens/token-manager.js';
