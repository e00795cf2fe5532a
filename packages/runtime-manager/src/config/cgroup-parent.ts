import { invalidOption, type Pod } from '@nodeagent/api';
import { type CgroupDriverName, cgroupfsPath, podCgroupName, systemdPath } from '@nodeagent/api/helpers';

/**
 * The parent cgroup of a pod's sandbox as the runtime names it: a path for `cgroupfs`, the slice alone for `systemd`. Kubernetes
 * documentation, "Container Runtimes: cgroup drivers"; the kubelet's `GetPodCgroupParent`.
 */
export function podCgroupParent(pod: Pod, driver: CgroupDriverName): string {
  const name = podCgroupName(pod);
  return driver === 'systemd' ? (systemdPath(name).split('/').at(-1) ?? '') : cgroupfsPath(name);
}

/** {@link podCgroupParent} for the option `cgroupParent` of the runtime manager. Throws `InvalidOption` for another driver. */
export function createPodCgroupParent(cgroupDriver: CgroupDriverName): (pod: Pod) => string {
  if (cgroupDriver !== 'cgroupfs' && cgroupDriver !== 'systemd') {
    throw invalidOption('cgroupDriver', 'cgroupfs or systemd', cgroupDriver);
  }
  return (pod) => podCgroupParent(pod, cgroupDriver);
}
