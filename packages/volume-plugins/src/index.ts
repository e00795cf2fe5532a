/**
 * The kubelet's in-tree volume plugins: emptyDir, hostPath, configMap, secret, downwardAPI, projected, image, local, nfs, iscsi and fc; for a
 * volume manager, or standalone.
 *
 * @packageDocumentation
 */
export { type AtomicWriteOptions, writeAtomically } from './atomic-writer/atomic-writer.js';
export { nodeWriterFiles, type WriterFiles } from './atomic-writer/writer-files.js';
export { volumePluginsErrorCodes } from './errors.js';
export { createMemoryVolumes, type MemoryVolumeFiles, type MemoryVolumes, type MemoryVolumesOptions } from './memory-volumes.js';
export { createPayloadSources, type PayloadSourcesOptions } from './payload/create-payload-sources.js';
export type { FileProjection, Payload } from './payload/payload.js';
export type { PayloadSources } from './payload/payload-sources.js';
export { createVolumePlugins, type VolumePluginsOptions } from './plugins/create-plugins.js';
export { createPodVolumes, type PodVolumes, type PodVolumesOptions, type PodWithVolumes } from './pod-volumes.js';
export { createTokenManager, type TokenManager, type TokenManagerOptions } from './tokens/token-manager.js';
