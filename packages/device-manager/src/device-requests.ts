import type { Container, Pod } from '@nodeagent/api';
import { parseResourceList, podLimits } from '@nodeagent/api/helpers';

/** Requested devices by resource, of the resources for which `isDevice` is true. */
export type DeviceRequests = Map<string, number>;

/** The devices that a container requests: its limits, without those that a resource claim provides. */
export function containerDeviceRequests(pod: Pod, { name, resources }: Container, isDevice: (resource: string) => boolean): DeviceRequests {
  const claimed = claimedResources(pod, name);
  return countsOf(parseResourceList(resources?.limits), (resource) => isDevice(resource) && !claimed.has(resource));
}

/** The devices that the containers of a pod request together, when they request most. */
export function podDeviceRequests(pod: Pod, isDevice: (resource: string) => boolean): DeviceRequests {
  return countsOf(podLimits(pod, { excludeOverhead: true, skipPodLevelResources: true }), isDevice);
}

function countsOf(limits: ReturnType<typeof parseResourceList>, isCounted: (resource: string) => boolean): DeviceRequests {
  const counted = [...limits].filter(([resource]) => isCounted(resource));
  return new Map(counted.map(([resource, amount]) => [resource, Number(amount.value())]));
}

/** Extended resources of a container that dynamic resource allocation provides (KEP-5004). */
function claimedResources(pod: Pod, containerName: string): Set<string> {
  const mappings = pod.status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return new Set(mappings.filter((each) => each.containerName === containerName).map(({ resourceName }) => resourceName));
}
