import type { Quantity } from '@nodeagent/api/helpers';
import type { ActualState, AttachedVolume, MountedPodVolume } from '../state/actual-state.js';
import type { DesiredState, VolumeToMount } from '../state/desired-state.js';
import { describePodVolumeState } from '../state/pod-volume-state.js';

/** One operation that brings the actual state closer to the desired state. */
export type VolumeOperation =
  | { type: 'UnmountVolume'; mounted: MountedPodVolume }
  | { type: 'VerifyControllerAttachedVolume' | 'AttachVolume'; wanted: VolumeToMount }
  | { type: 'MountVolume'; wanted: VolumeToMount; devicePath: string; isRemount: boolean; why: string | undefined }
  | { type: 'ExpandInUseVolume'; wanted: VolumeToMount; currentSize: Quantity }
  | { type: 'UnmountDevice' | 'DetachVolume'; volume: AttachedVolume }
  | { type: 'MarkVolumeAsDetached'; volume: AttachedVolume };

/** Input of a plan. */
export interface PlanInput {
  desired: DesiredState;
  actual: ActualState;
  /** Whether an operation is running on the volume, for the pod if `podUid` is set. */
  isPending(volumeName: string, podUid?: string): boolean;
  /** Whether the pod's reconstructed volumes must stay: one of its volumes could not be resolved, or its containers may run. */
  mustStay(podUid: string): boolean;
  /** Whether the pod's containers are terminating or have terminated: nothing is mounted for it any more. */
  isTerminating(podUid: string): boolean;
  /** Whether the attach/detach controller attaches volumes to nodes. */
  controllerAttachDetach: boolean;
}

/** Unmounts the volumes of pods that are not in the desired state. */
export function* volumesToUnmount({ desired, actual, isPending, mustStay }: PlanInput): Iterable<VolumeOperation> {
  for (const mounted of actual.possiblyMounted()) {
    const { volumeName } = mounted.volume;
    const { podUid } = mounted.mount;
    if (desired.podExistsInVolume(podUid, volumeName, mounted.volume.seLinuxLabel) || isPending(volumeName, podUid)) continue;
    if (mustStay(podUid) && actual.isReconstructed(podUid, volumeName)) continue;
    yield { type: 'UnmountVolume', mounted };
  }
}

/**
 * Attaches, mounts, remounts or expands the desired volumes, one step for each volume of a pod that is not terminating. A running operation
 * on a volume delays the others.
 */
export function* volumesToMount(input: PlanInput): Iterable<VolumeOperation> {
  const { desired, actual, isPending, isTerminating, controllerAttachDetach } = input;
  for (const wanted of desired.volumesToMount()) {
    const { volumeName, podUid } = wanted;
    if (isTerminating(podUid)) continue;
    const found = actual.podVolumeState(podUid, volumeName, wanted.persistentVolumeSize);
    if (found.state === 'Mounted' || isPending(volumeName) || hasOtherLabel(input, wanted)) continue;
    if (found.state === 'NotAttached') {
      if (!controllerAttachDetach && wanted.attachable) yield { type: 'AttachVolume', wanted };
      else if (!wanted.attachable || wanted.reportedInUse) yield { type: 'VerifyControllerAttachedVolume', wanted };
    } else if (found.state === 'ResizeRequired') {
      yield { type: 'ExpandInUseVolume', wanted, currentSize: found.currentSize };
    } else {
      const isRemount = found.state === 'RemountRequired';
      const why = describePodVolumeState(found, volumeName, podUid);
      yield { type: 'MountVolume', wanted, devicePath: found.devicePath, isRemount, why };
    }
  }
}

/** Unmounts and detaches the devices that no pod has or uses. */
export function* devicesToUnmount({ desired, actual, isPending, controllerAttachDetach }: PlanInput): Iterable<VolumeOperation> {
  for (const volume of actual.volumes()) {
    if (volume.pods.size > 0 || desired.volumeExists(volume.volumeName, volume.seLinuxLabel) || isPending(volume.volumeName)) continue;
    if (volume.deviceMountState !== 'DeviceNotMounted') yield { type: 'UnmountDevice', volume };
    else if (controllerAttachDetach || volume.attachability === 'false') yield { type: 'MarkVolumeAsDetached', volume };
    else yield { type: 'DetachVolume', volume };
  }
}

/** The volumes that wait for an unmount because they are mounted with another SELinux label, with the kubelet's message for the pod. */
export function* volumesWithOtherLabel(input: Pick<PlanInput, 'desired' | 'actual'>): Iterable<{ podUid: string; why: string }> {
  for (const wanted of input.desired.volumesToMount()) {
    const { podUid, volumeName } = wanted;
    const why = `waiting for unmount of volume "${volumeName}", because it is already mounted to a different pod with a different SELinux label`;
    if (hasOtherLabel(input, wanted)) yield { podUid, why };
  }
}

function hasOtherLabel({ actual }: Pick<PlanInput, 'actual'>, { volumeName, seLinuxLabel }: VolumeToMount): boolean {
  return (actual.get(volumeName)?.seLinuxLabel ?? seLinuxLabel) !== seLinuxLabel;
}
