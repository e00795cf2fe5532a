import { cgroupfsPath, type Pod, podCgroupName, systemdPath } from '@nodeagent/api';
import type { NodeAgentSettings } from './settings.js';

/**
 * The parent cgroup of a pod's sandbox as the runtime wants it named: a path for cgroupfs, the slice alone for systemd. Kubernetes
 * documentation, "Node cgroup drivers".
 */
export function cgroupParent(pod: Pod, driver: NodeAgentSettings['cgroupDriver']): string {
  const name = podCgroupName(pod);
  return driver === 'systemd' ? (systemdPath(name).split('/').at(-1) ?? '') : cgroupfsPath(name);
}
