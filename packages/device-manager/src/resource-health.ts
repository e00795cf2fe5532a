import type { ResourceDevices } from './devices.js';
import { idsOf, type PodDevices } from './pod-devices.js';

/** The health of a container's devices of one resource: an element of `allocatedResourcesStatus` in the container's status (KEP-4680). */
export interface ResourceHealth {
  /** The resource. */
  name: string;
  resources: { resourceID: string; health: string }[];
}

/** The health of a pod's devices by container. A device that its plugin has not listed is healthy. */
export function resourceHealth(
  podUID: string,
  podDevices: PodDevices,
  devicesOf: (resource: string) => ResourceDevices | undefined,
): Record<string, ResourceHealth[]> {
  const byContainer: Record<string, ResourceHealth[]> = {};
  for (const record of podDevices.ofPod(podUID)) {
    const { containerName, resource } = record;
    const all = devicesOf(resource)?.all;
    const resources = idsOf(record).map((id) => ({ resourceID: id, health: all?.get(id)?.health ?? 'Healthy' }));
    byContainer[containerName] = [...(byContainer[containerName] ?? []), { name: resource, resources }];
  }
  return byContainer;
}

/** The pods with a device whose health in the new list is not that of the old one. */
export function podsWithChangedHealth(resource: string, before: ResourceDevices, after: ResourceDevices, podDevices: PodDevices): string[] {
  const hasChanged = (id: string) => after.all.has(id) && before.all.get(id)?.health !== after.all.get(id)?.health;
  const changed = podDevices.all().filter((record) => record.resource === resource && idsOf(record).some(hasChanged));
  return [...new Set(changed.map(({ podUID }) => podUID))];
}
