import type { MountedVolume, Pod } from '@nodeagent/api';
import { isBlockVolume, specName } from '@nodeagent/api/helpers';
import type { ActualState } from './actual-state.js';
import type { DesiredState } from './desired-state.js';

/** The desired and the actual state of the world. */
export interface VolumeStates {
  desired: DesiredState;
  actual: ActualState;
}

/** The pod's mounted volumes by their names in the pod. */
export function mountedVolumesOfPod({ desired, actual }: VolumeStates, podUid: string): Map<string, MountedVolume> {
  const mounted = new Map<string, MountedVolume>();
  for (const [outerName, volumeName] of desired.volumeNamesOfPod(podUid)) {
    const mount = actual.podMount(podUid, volumeName);
    if (mount?.state !== 'VolumeMounted') continue;
    const { spec, mounter, mapper } = mount;
    const device = mapper?.podDeviceMapPath();
    mounted.set(outerName, {
      hostPath: device ? `${device.path}/${device.name}` : (mounter?.path ?? ''),
      readOnly: mounter?.attributes.readOnly ?? spec.readOnly,
      specName: specName(spec),
      selinuxRelabel: mounter?.attributes.seLinuxRelabel ?? false,
      block: isBlockVolume(spec),
    });
  }
  return mounted;
}

/** The groups of the pod's mounted volumes that its security context does not list, sorted; values that are not 64-bit numbers are ignored. */
export function extraSupplementalGroups(actual: ActualState, pod: Pod, podUid: string): number[] {
  const own = new Set(pod.spec?.securityContext?.supplementalGroups ?? []);
  const groups = new Set<number>();
  for (const { mount } of actual.possiblyMountedOfPod(podUid)) {
    if (mount.state !== 'VolumeMounted' || !/^[+-]?[0-9]+$/.test(mount.gid)) continue;
    const exact = BigInt(mount.gid.replace('+', ''));
    const group = Number(exact);
    if (BigInt.asIntN(64, exact) === exact && !own.has(group)) groups.add(group);
  }
  return [...groups].sort((a, b) => a - b);
}

/** Attachable volumes in the desired or the actual state, sorted: `volumesInUse` of the Node's status. */
export function volumesInUse({ desired, actual }: VolumeStates): string[] {
  const names = new Set<string>();
  for (const { volumeName, attachable } of desired.volumesToMount()) if (attachable) names.add(volumeName);
  for (const { volumeName, attachability } of actual.volumes()) if (attachability === 'true') names.add(volumeName);
  return [...names].sort();
}
