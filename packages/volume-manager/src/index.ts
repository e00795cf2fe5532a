/**
 * Volumes of pods: mounts those that pods need, unmounts those that none needs, as a kubelet does.
 *
 * @packageDocumentation
 */

export { type AtomicWriteOptions, removeLeftovers, writeAtomically } from './atomic-writer/atomic-writer.js';
export { validatePayloadPath } from './atomic-writer/validate-path.js';
export { type Csi, type CsiOptions, createCsi } from './csi/csi.js';
export { type CsiFsGroupInput, csiAccessMode, supportsCsiFsGroup } from './csi/csi-access.js';
export { type CsiAttachmentStatus, csiAttachmentStatus } from './csi/csi-attachment.js';
export type { CallCsiNode, CsiMethod } from './csi/csi-calls.js';
export type { ApplyFsGroup, RequestServiceAccountToken } from './csi/csi-context.js';
export { type CsiVolumeData, formatCsiData, parseCsiData, specFromCsiData } from './csi/csi-data.js';
export { csiExpansionVerdict, isFinalCsiError } from './csi/csi-errors.js';
export {
  type CsiBlockPaths,
  csiAttachmentName,
  csiBlockPaths,
  csiInlineVolumeHandle,
  csiPluginName,
  csiStagePath,
  csiTargetPath,
  csiVolumeName,
} from './csi/csi-names.js';
export type { CsiNodes } from './csi/csi-node-info.js';
export {
  addDriverToCsiNode,
  addDriverToNode,
  type CsiNodeInfo,
  removeDriverFromCsiNode,
  removeDriverFromNode,
} from './csi/csi-node-objects.js';
export type { CsiRegistration } from './csi/csi-registration.js';
export { type CsiVersion, chooseCsiVersion, formatCsiVersion, isLowerCsiVersion } from './csi/csi-versions.js';
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
export { isBoundOntoItself, type MakeRSharedOptions, makeRShared, undoRShared } from './mount/make-rshared.js';
export { inSystemdScope, mountCalls, mountLogText } from './mount/mount-arguments.js';
export { findMountRefs, hasOtherMountRefs, parseMountInfo } from './mount/mount-info.js';
export { mountOptionsOf } from './mount/mount-options.js';
export { isMountPoint } from './mount/mounter.js';
export { createNodeMounter, type NodeMounterOptions } from './mount/node-mounter.js';
export { readVolumeFile } from './mount/read-volume-file.js';
export { openSubPath, safeMakeDirectory, safeOpen, type UnsafePathReason } from './mount/safe-open.js';
export { supportsSELinuxLabels } from './mount/selinux-support.js';
export { createSharedRoot, type SharedRootOptions } from './mount/shared-root.js';
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
export { decideExpansion, type ExpansionDecision } from './operations/expansion-decision.js';
export { accessModeProblem, affinityProblem, mountOptionsProblem } from './operations/mount-checks.js';
export {
  createNestedPendingOperations,
  type NestedPendingOperations,
  type OperationKey,
  operationKeyText,
  type RunningOperation,
} from './operations/nested-pending-operations.js';
export { createPayloadSources, type PayloadSourcesOptions } from './payload/create-payload-sources.js';
export { type DownwardApiItems, downwardApiPayload } from './payload/downward-api-payload.js';
export { fsUserOf } from './payload/file-owners.js';
export { nestedMountPoints } from './payload/nested-mount-points.js';
export { configMapPayload, type KeySelection, secretPayload } from './payload/object-payload.js';
export type { FileProjection, Payload } from './payload/payload.js';
export type { PayloadSources } from './payload/payload-sources.js';
export { type ProjectionContext, projectedPayload } from './payload/projected-payload.js';
export { createPluginRegistry, type PluginRegistry, type ResolvedVolume, uniqueVolumeName } from './plugin/plugin-registry.js';
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
export { createMemoryVolumes, type MemoryVolumes, type MemoryVolumesOptions } from './plugins/memory-volumes.js';
export { createPodVolumes, type PodVolumes, type PodVolumesOptions } from './plugins/pod-volumes.js';
export { createMemoryPodDirs } from './pod-dirs/memory-pod-dirs.js';
export { createPodDirs, type PodDirs } from './pod-dirs/pod-dirs.js';
export { createPopulator, type PodStates, type Populator, type PopulatorOptions } from './populator/populator.js';
export { type ClaimGetters, type PodVolumeSpec, podVolumeSpec } from './populator/volume-spec.js';
export {
  devicesToUnmount,
  type PlanInput,
  type VolumeOperation,
  volumesToMount,
  volumesToUnmount,
  volumesWithOtherLabel,
} from './reconciler/plan.js';
export { createReconciler, type Reconciler, type ReconcilerOptions } from './reconciler/reconciler.js';
export { type MountLabelInput, seLinuxFileLabel, seLinuxMountLabel } from './selinux/mount-label.js';
export { diskUsage, fileSystemUsage, folderUsage, type VolumeUsage } from './stats/volume-usage.js';
export { createTokenManager, type TokenManager, type TokenManagerOptions } from './tokens/token-manager.js';
export { isTokenExpired, requiresTokenRefresh } from './tokens/token-refresh.js';
export { createVolumeManager, type VolumeManagerOptions, type VolumeManagerSettings } from './volume-manager.js';
export { waitForAllPodsUnmount } from './wait-for-all-pods-unmount.js';
export { describeMounted, describeUnmounted, mountProgress, stillMountedVolumes } from './waiting/mount-progress.js';
export {
  type ActualWorld,
  type Attachability,
  type AttachedVolume,
  createActualWorld,
  type DeviceMountState,
  type MountedVolume,
  type PodMount,
  type PodMountFacts,
  type VolumeMountState,
} from './world/actual-world.js';
export { createDesiredWorld, type DesiredPodVolume, type DesiredWorld, type VolumeToMount } from './world/desired-world.js';
export { describePodVolumeState, type PodVolumeState } from './world/pod-volume-state.js';
export { expectedVolumes, type UsedVolumes, usedVolumes } from './world/pod-volumes.js';
export { extraSupplementalGroups, mountedVolumesOfPod, volumesInUse, type Worlds } from './world/queries.js';
