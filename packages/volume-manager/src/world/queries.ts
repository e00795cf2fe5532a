import { isBlockVolume, type MountedVolume, type Pod, specName } from '@nodeagent/api';
import type { ActualWorld } from './actual-world.js';
import type { DesiredWorld } from './desired-world.js';

/** The two worlds, to ask about pods. */
export interface Worlds {
  desired: DesiredWorld;
  actual: ActualWorld;
}

/** What containers of the pod can use, by the names that the pod has for its volumes. */
export function mountedVolumesOfPod({ desired, actual }: Worlds, podUid: string): Map<string, MountedVolume> {
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

/** The groups of the pod's mounted volumes that its processes do not have yet, sorted; what is no 64-bit number is none. */
export function extraSupplementalGroups(actual: ActualWorld, pod: Pod, podUid: string): number[] {
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

/** Attachable volumes that are wanted or there: what the node's status calls in use. Sorted. */
export function volumesInUse({ desired, actual }: Worlds): string[] {
  const names = new Set<string>();
  for (const { volumeName, attachable } of desired.volumesToMount()) if (attachable) names.add(volumeName);
  for (const { volumeName, attachability } of actual.volumes()) if (attachability === 'true') names.add(volumeName);
  return [...names].sort();
}
