/**
 * Volumes of pods: mounts those that pods need, unmounts those that none needs, as a kubelet does.
 * The pure functions and parts that it is made of are in `@nodeagent/volume-manager/decisions`.
 *
 * @packageDocumentation
 */

export { type Csi, type CsiOptions, createCsi } from './csi/csi.js';
export type { CallCsiNode, CsiMethod } from './csi/csi-calls.js';
export type { ApplyFsGroup, RequestServiceAccountToken } from './csi/csi-context.js';
export type { CsiNodes } from './csi/csi-node-info.js';
export type { CsiRegistration } from './csi/csi-registration.js';
export { infeasibleExpansion, inUseExpansion, transientOperationFailure, uncertainProgress, volumeManagerErrorCodes } from './errors.js';
export { createFakeMounter, type FakeMounter } from './mount/fake-mounter.js';
export { type MakeRSharedOptions, makeRShared, undoRShared } from './mount/make-rshared.js';
export { isMountPoint } from './mount/mounter.js';
export { createNodeMounter, type NodeMounterOptions } from './mount/node-mounter.js';
export { readVolumeFile } from './mount/read-volume-file.js';
export type { UnsafePathReason } from './mount/safe-open.js';
export { supportsSELinuxLabels } from './mount/selinux-support.js';
export { createSharedRoot, type SharedRootOptions } from './mount/shared-root.js';
export { createSubPaths, type SubPathMount, type SubPaths, type SubPathsOptions } from './mount/sub-paths.js';
export { createVolumeNode, type VolumeNodeOptions } from './mount/volume-node.js';
export { type OwnershipChange, type OwnershipFiles, setVolumeOwnership } from './mount/volume-ownership.js';
export { createPayloadSources, type PayloadSourcesOptions } from './payload/create-payload-sources.js';
export type { PayloadSources } from './payload/payload-sources.js';
export type { BlockMapping, VolumeNode } from './plugin/volume-node.js';
export { type VolumePaths, volumePaths } from './plugin/volume-paths.js';
export {
  type Attacher,
  type BlockMapper,
  type BlockUnmapper,
  type DeviceMounter,
  type DeviceUnmounter,
  isBlockVolume,
  type NodeExpandOptions,
  type PodDeviceMapPath,
  type SetUpOptions,
  specName,
  type VolumeMounter,
  type VolumePlugin,
  type VolumeSpec,
  type VolumeUnmounter,
} from './plugin/volume-plugin.js';
export { createVolumePlugins, type VolumePluginsOptions } from './plugins/create-plugins.js';
export { createMemoryVolumes, type MemoryVolumes, type MemoryVolumesOptions } from './plugins/memory-volumes.js';
export { createPodVolumes, type PodVolumes, type PodVolumesOptions } from './plugins/pod-volumes.js';
export { createMemoryPodDirs } from './pod-dirs/memory-pod-dirs.js';
export { createPodDirs, type PodDirs } from './pod-dirs/pod-dirs.js';
export type { PodStates } from './populator/populator.js';
export type { ClaimGetters } from './populator/volume-spec.js';
export type { VolumeUsage } from './stats/volume-usage.js';
export { createTokenManager, type TokenManager, type TokenManagerOptions } from './tokens/token-manager.js';
export { createVolumeManager, type VolumeManagerOptions, type VolumeManagerSettings } from './volume-manager.js';
export { waitForAllPodsUnmount } from './wait-for-all-pods-unmount.js';
