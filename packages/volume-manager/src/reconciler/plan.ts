import type { Quantity } from '@nodeagent/api';
import type { ActualWorld, AttachedVolume, MountedPodVolume } from '../world/actual-world.js';
import type { DesiredWorld, VolumeToMount } from '../world/desired-world.js';
import { describePodVolumeState } from '../world/pod-volume-state.js';

/** One thing to do to bring what the node has closer to what is wanted. */
export type VolumeOperation =
  | { type: 'UnmountVolume'; mounted: MountedPodVolume }
  | { type: 'VerifyControllerAttachedVolume' | 'AttachVolume'; wanted: VolumeToMount }
  | { type: 'MountVolume'; wanted: VolumeToMount; devicePath: string; isRemount: boolean; why: string | undefined }
  | { type: 'ExpandInUseVolume'; wanted: VolumeToMount; currentSize: Quantity }
  | { type: 'UnmountDevice' | 'DetachVolume' | 'MarkVolumeAsDetached'; volume: AttachedVolume };

/** What a plan is made of. */
export interface PlanInput {
  desired: DesiredWorld;
  actual: ActualWorld;
  /** Whether an operation is being executed on the volume, for the pod if one is named. */
  isPending(volumeName: string, podUid?: string): boolean;
  /** Whether it is not known what the pod wants: what a restart found of it must stay. */
  isUnresolved(podUid: string): boolean;
  /** Whether a controller attaches volumes to nodes, as usual. */
  controllerAttachDetach: boolean;
}

/** Takes away from pods what they do not want (any more). */
export function* volumesToUnmount({ desired, actual, isPending, isUnresolved }: PlanInput): Iterable<VolumeOperation> {
  for (const mounted of actual.possiblyMounted()) {
    const { volumeName } = mounted.volume;
    const { podUid } = mounted.mount;
    if (desired.podExistsInVolume(podUid, volumeName, mounted.volume.seLinuxLabel) || isPending(volumeName, podUid)) continue;
    if (isUnresolved(podUid) && actual.isFound(podUid, volumeName)) continue;
    yield { type: 'UnmountVolume', mounted };
  }
}

/** Gives pods what they want, one step for each volume of each. An operation on a volume for one pod makes all others wait. */
export function* volumesToMount(input: PlanInput): Iterable<VolumeOperation> {
  const { desired, actual, isPending, controllerAttachDetach } = input;
  for (const wanted of desired.volumesToMount()) {
    const { volumeName, podUid } = wanted;
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

/** Takes from the node what no pod has or wants. */
export function* devicesToUnmount({ desired, actual, isPending, controllerAttachDetach }: PlanInput): Iterable<VolumeOperation> {
  for (const volume of actual.volumes()) {
    if (volume.pods.size > 0 || desired.volumeExists(volume.volumeName, volume.seLinuxLabel) || isPending(volume.volumeName)) continue;
    if (volume.deviceMountState !== 'DeviceNotMounted') yield { type: 'UnmountDevice', volume };
    else if (controllerAttachDetach || volume.attachability === 'false') yield { type: 'MarkVolumeAsDetached', volume };
    else yield { type: 'DetachVolume', volume };
  }
}

/** What has to be unmounted before it can be mounted as it is wanted, with the kubelet's words for the pod. */
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
