/**
 * The decisions of a volume manager: what to mount and unmount, what is left of it after a failure, what files a volume has, how CSI names
 * and calls things; and the parts that volume plugins are made of.
 *
 * @packageDocumentation
 */
export { type AtomicWriteOptions, removeLeftovers, writeAtomically } from './atomic-writer/atomic-writer.js';
export { validatePayloadPath } from './atomic-writer/validate-path.js';
export { type CsiFsGroupInput, csiAccessMode, supportsCsiFsGroup } from './csi/csi-access.js';
export { type CsiAttachmentStatus, csiAttachmentStatus } from './csi/csi-attachment.js';
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
export {
  addDriverToCsiNode,
  addDriverToNode,
  type CsiNodeInfo,
  removeDriverFromCsiNode,
  removeDriverFromNode,
} from './csi/csi-node-objects.js';
export { type CsiVersion, chooseCsiVersion, formatCsiVersion, isLowerCsiVersion } from './csi/csi-versions.js';
export { formatAndMount } from './mount/format-and-mount.js';
export { hasBackstep, isPathWithinBase } from './mount/lexical-paths.js';
export { isBoundOntoItself } from './mount/make-rshared.js';
export { inSystemdScope, mountCalls, mountLogText } from './mount/mount-arguments.js';
export { findMountRefs, hasOtherMountRefs, parseMountInfo } from './mount/mount-info.js';
export { mountOptionsOf } from './mount/mount-options.js';
export { openSubPath, safeMakeDirectory, safeOpen } from './mount/safe-open.js';
export { groupMode, requiresOwnershipChange, type VolumeRoot } from './mount/volume-ownership.js';
export { decideExpansion, type ExpansionDecision } from './operations/expansion-decision.js';
export { accessModeProblem, affinityProblem, mountOptionsProblem } from './operations/mount-checks.js';
export {
  createNestedPendingOperations,
  type NestedPendingOperations,
  type OperationKey,
  operationKeyText,
  type RunningOperation,
} from './operations/nested-pending-operations.js';
export { type DownwardApiItems, downwardApiPayload } from './payload/downward-api-payload.js';
export { fsUserOf } from './payload/file-owners.js';
export { nestedMountPoints } from './payload/nested-mount-points.js';
export { configMapPayload, type KeySelection, secretPayload } from './payload/object-payload.js';
export type { FileProjection, Payload } from './payload/payload.js';
export { type ProjectionContext, projectedPayload } from './payload/projected-payload.js';
export { createPluginRegistry, type PluginRegistry, type ResolvedVolume, uniqueVolumeName } from './plugin/plugin-registry.js';
export { escapePluginName, unescapePluginName } from './plugin/volume-paths.js';
export { hugePagesMountOption, memoryMountOptions, memoryVolumeSize } from './plugins/empty-dir-size.js';
export { checkHostPath, type FileKind, type HostPathFiles } from './plugins/host-path-check.js';
export { createPopulator, type Populator, type PopulatorOptions } from './populator/populator.js';
export { type PodVolumeSpec, podVolumeSpec } from './populator/volume-spec.js';
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
export { diskUsage, fileSystemUsage, folderUsage } from './stats/volume-usage.js';
export { isTokenExpired, requiresTokenRefresh } from './tokens/token-refresh.js';
export { describeMounted, describeUnmounted, mountProgress, stillMountedVolumes } from './waiting/mount-progress.js';
export {
  type ActualWorld,
  type Attachability,
  type AttachedVolume,
  createActualWorld,
  type DeviceMountState,
  type MountedPodVolume,
  type PodMount,
  type PodMountFacts,
  type VolumeMountState,
} from './world/actual-world.js';
export { createDesiredWorld, type DesiredPodVolume, type DesiredWorld, type VolumeToMount } from './world/desired-world.js';
export { describePodVolumeState, type PodVolumeState } from './world/pod-volume-state.js';
export { expectedVolumes, type UsedVolumes, usedVolumes } from './world/pod-volumes.js';
export { extraSupplementalGroups, mountedVolumesOfPod, volumesInUse, type Worlds } from './world/queries.js';
