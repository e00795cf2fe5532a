import { isOperationFinished, isUncertainProgress } from '@nodeagent/api';
import type { ActualWorld, PodMountFacts } from '../world/actual-world.js';

/**
 * What a failed set-up tells of a pod's volume: one that was not mounted may be now, one that may have been is not, unless all that is
 * known of it is that a restart found it.
 */
export function markVolumeError(actual: ActualWorld, facts: PodMountFacts, error: unknown): void {
  const { podUid, volumeName } = facts;
  const state = actual.mountState(podUid, volumeName);
  if (isUncertainProgress(error) && state === 'VolumeNotMounted') actual.markVolumeMountAsUncertain(facts);
  if (isOperationFinished(error) && state === 'VolumeMountUncertain' && !actual.isFound(podUid, volumeName))
    actual.markVolumeAsUnmounted(podUid, volumeName);
}

/** As {@link markVolumeError} for the device that all pods share. */
export function markDeviceError(
  actual: ActualWorld,
  { volumeName, devicePath, deviceMountPath }: { volumeName: string; devicePath: string; deviceMountPath: string },
  error: unknown,
): void {
  const state = actual.get(volumeName)?.deviceMountState;
  if (isUncertainProgress(error) && state === 'DeviceNotMounted')
    actual.setDeviceMountState(volumeName, 'DeviceMountUncertain', devicePath, deviceMountPath);
  if (isOperationFinished(error) && state === 'DeviceMountUncertain' && !actual.isDeviceFound(volumeName))
    actual.setDeviceMountState(volumeName, 'DeviceNotMounted', '', '');
}
