import type { Pod } from '@nodeagent/api';
import { podContainers } from '@nodeagent/api/helpers';

/** The volumes that a pod's containers use. Unused volumes are never mounted. */
export interface UsedVolumes {
  mounts: ReadonlySet<string>;
  devices: ReadonlySet<string>;
}

/** Includes init and ephemeral containers. */
export function usedVolumes(pod: Pod): UsedVolumes {
  const mounts = new Set<string>();
  const devices = new Set<string>();
  for (const { container } of podContainers(pod)) {
    for (const { name } of container.volumeMounts ?? []) mounts.add(name);
    for (const { name } of container.volumeDevices ?? []) devices.add(name);
  }
  return { mounts, devices };
}

/** Names of the volumes that must be mounted before a container starts, sorted. */
export function expectedVolumes(pod: Pod): string[] {
  const { mounts, devices } = usedVolumes(pod);
  return [...new Set([...mounts, ...devices])].sort();
}
