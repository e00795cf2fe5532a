/**
 * The decisions of a volume manager: what to mount and unmount, the state after a failure, and the desired and actual state of the world.
 *
 * @packageDocumentation
 */
export { decideExpansion, type ExpansionDecision } from './operations/expansion-decision.js';
export { accessModeProblem, affinityProblem, mountOptionsProblem } from './operations/mount-checks.js';
export {
  createNestedPendingOperations,
  type NestedPendingOperations,
  type OperationKey,
  operationKeyText,
  type RunningOperation,
} from './operations/nested-pending-operations.js';
export { createOperationMap, type OperationMap } from './operations/operation-map.js';
export { isSafeToRetry } from './operations/retry-time.js';
export { createPluginRegistry, type PluginRegistry, type ResolvedVolume, uniqueVolumeName } from './plugin-registry.js';
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
export {
  type ActualState,
  type Attachability,
  type AttachedVolume,
  createActualState,
  type DeviceMountState,
  type MountedPodVolume,
  type PodMount,
  type PodMountFacts,
  type VolumeMountState,
} from './state/actual-state.js';
export { createDesiredState, type DesiredPodVolume, type DesiredState, type VolumeToMount } from './state/desired-state.js';
export { describePodVolumeState, type PodVolumeState } from './state/pod-volume-state.js';
export { expectedVolumes, type UsedVolumes, usedVolumes } from './state/pod-volumes.js';
export { extraSupplementalGroups, mountedVolumesOfPod, type VolumeStates, volumesInUse } from './state/queries.js';
export { type VolumeWait, waitUntilMounted, waitUntilUnmounted } from './waiting/mount-progress.js';
export { createWaiters, type Progress, type Waiters } from './waiting/waiters.js';
