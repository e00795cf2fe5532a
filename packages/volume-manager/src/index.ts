/**
 * Volumes of pods: mounts those that pods need, unmounts those that none needs, as a kubelet does.
 *
 * @packageDocumentation
 */

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
export type { CsiVolumeStats } from './csi/csi-stats.js';
export { type CsiVersion, chooseCsiVersion, formatCsiVersion, isLowerCsiVersion } from './csi/csi-versions.js';
export {
  infeasibleExpansion,
  inUseExpansion,
  transientOperationFailure,
  uncertainProgress,
  volumeManagerErrorCodes,
} from './errors.js';
export { decideExpansion, type ExpansionDecision } from './operations/expansion-decision.js';
export { accessModeProblem, affinityProblem, mountOptionsProblem } from './operations/mount-checks.js';
export {
  createNestedPendingOperations,
  type NestedPendingOperations,
  type OperationKey,
  operationKeyText,
  type RunningOperation,
} from './operations/nested-pending-operations.js';
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
export { createPopulator, type PodStates, type Populator, type PopulatorOptions } from './populator/populator.js';
export { type ClaimGetters, type PodVolumeSpec, podVolumeSpec } from './populator/volume-spec.js';
export { devicesToUnmount, type PlanInput, type VolumeOperation, volumesToMount, volumesToUnmount } from './reconciler/plan.js';
export { createReconciler, type Reconciler, type ReconcilerOptions } from './reconciler/reconciler.js';
export { createVolumeManager, type VolumeManagerOptions, type VolumeManagerSettings } from './volume-manager.js';
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
export { createDesiredWorld, type DesiredWorld, type VolumeToMount } from './world/desired-world.js';
export { describePodVolumeState, type PodVolumeState } from './world/pod-volume-state.js';
export { expectedVolumes, type UsedVolumes, usedVolumes } from './world/pod-volumes.js';
export { extraSupplementalGroups, mountedVolumesOfPod, volumesInUse, type Worlds } from './world/queries.js';
