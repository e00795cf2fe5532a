/**
 * Volumes of pods: mounts those that pods need, unmounts those that none needs, as a kubelet does.
 *
 * @packageDocumentation
 */

export { type AtomicWriteOptions, removeLeftovers, writeAtomically } from './atomic-writer/atomic-writer.js';
export { validatePayloadPath } from './atomic-writer/validate-path.js';
export {
  infeasibleExpansion,
  inUseExpansion,
  transientOperationFailure,
  uncertainProgress,
  volumeManagerErrorCodes,
} from './errors.js';
export { createFakeMounter, type FakeMounter } from './mount/fake-mounter.js';
export { formatAndMount } from './mount/format-and-mount.js';
export { hasBackstep, isPathWithinBase } from './mount/lexical-paths.js';
export { inSystemdScope, type MountRequest, mountCalls, mountLogText } from './mount/mount-arguments.js';
export { findMountRefs, hasOtherMountRefs, type MountInfo, parseMountInfo } from './mount/mount-info.js';
export { mountOptionsOf } from './mount/mount-options.js';
export { isMountPoint, type Mounter, type ToolResult } from './mount/mounter.js';
export { createNodeMounter, type NodeMounterOptions } from './mount/node-mounter.js';
export { openSubPath, safeMakeDirectory, safeOpen, type UnsafePathReason } from './mount/safe-open.js';
export { createSubPaths, type SubPathMount, type SubPaths, type SubPathsOptions } from './mount/sub-paths.js';
export { createVolumeNode, type VolumeNodeOptions } from './mount/volume-node.js';
export {
  groupMode,
  type OwnershipChange,
  type OwnershipFiles,
  requiresOwnershipChange,
  setVolumeOwnership,
  type VolumeRoot,
} from './mount/volume-ownership.js';
export { type DownwardApiItems, downwardApiPayload } from './payload/downward-api-payload.js';
export { fsUserOf } from './payload/fs-user.js';
export { nestedMountPoints } from './payload/nested-mount-points.js';
export { configMapPayload, type KeySelection, secretPayload } from './payload/object-payload.js';
export type { FileProjection, Payload } from './payload/payload.js';
export type { PayloadSources } from './payload/payload-sources.js';
export { type ProjectionContext, projectedPayload } from './payload/projected-payload.js';
export type { BlockMapping, VolumeNode } from './plugin/volume-node.js';
export { escapePluginName, unescapePluginName, type VolumePaths, volumePaths } from './plugin/volume-paths.js';
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
export { hugePagesMountOption, memoryMountOptions, memoryVolumeSize } from './plugins/empty-dir-size.js';
export { checkHostPath, type FileKind, type HostPathFiles } from './plugins/host-path-check.js';
export { createPodVolumes, type PodVolumes, type PodVolumesOptions } from './plugins/pod-volumes.js';
export { createTokenManager, type TokenManager, type TokenManagerOptions } from './tokens/token-manager.js';
export { isTokenExpired, requiresTokenRefresh } from './tokens/token-refresh.js';
