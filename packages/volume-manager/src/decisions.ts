/**
 * The decisions of a volume manager: what to mount and unmount, what is left of it after a failure, and the states that it keeps.
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
