import { isOperationFinished, isUncertainProgress } from '@nodeagent/api';
import type { ActualState, PodMountFacts } from '../state/actual-state.js';

/**
 * Updates the state of a pod's volume after a failed set-up. An uncertain error makes an unmounted volume uncertain; a final error makes an
 * uncertain volume unmounted, unless it is only known from the reconstruction after a restart.
 */
export function markVolumeError(actual: ActualState, facts: PodMountFacts, error: unknown): void {
  const { podUid, volumeName } = facts;
  const state = actual.mountState(podUid, volumeName);
  if (isUncertainProgress(error) && state === 'VolumeNotMounted') actual.markVolumeMountAsUncertain(facts);
  if (isOperationFinished(error) && state === 'VolumeMountUncertain' && !actual.isReconstructed(podUid, volumeName))
    actual.markVolumeAsUnmounted(podUid, volumeName);
}

/** Like {@link markVolumeError}, for the device that all pods share. */
export function markDeviceError(
  actual: ActualState,
  { volumeName, devicePath, deviceMountPath }: { volumeName: string; devicePath: string; deviceMountPath: string },
  error: unknown,
): void {
  const state = actual.get(volumeName)?.deviceMountState;
  if (isUncertainProgress(error) && state === 'DeviceNotMounted')
    actual.setDeviceMountState(volumeName, 'DeviceMountUncertain', devicePath, deviceMountPath);
  if (isOperationFinished(error) && state === 'DeviceMountUncertain' && !actual.isDeviceReconstructed(volumeName))
    actual.setDeviceMountState(volumeName, 'DeviceNotMounted', '', '');
}
