import type { Pod, ResourceList } from '@nodeagent/api';
import { parseResourceList, podRequests, type ResourceQuantities } from '@nodeagent/api/helpers';

/** The resources that can be resized in place. */
export interface NodeResources {
  milliCpu: bigint;
  memoryBytes: bigint;
}

/** The resources of a list such as a Node's `status.allocatable`. */
export function nodeResources(list: ResourceList): NodeResources {
  return amounts(parseResourceList(list));
}

/** A pod's requests including overhead. */
export function requestedResources(pod: Pod): NodeResources {
  return amounts(podRequests(pod));
}

/**
 * The resources that pods use: for each pod the larger of its allocated and its actual resources, so that resources of a shrinking pod are
 * free only after its containers have released them. Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers".
 */
export function usedResources(allocated: readonly Pod[], actuatedPod: (allocated: Pod) => Pod = (pod) => pod): NodeResources {
  const used = { milliCpu: 0n, memoryBytes: 0n };
  for (const pod of allocated) {
    const granted = requestedResources(pod);
    const actuated = actuatedPod(pod);
    const had = actuated === pod ? granted : requestedResources(actuated);
    used.milliCpu += larger(granted.milliCpu, had.milliCpu);
    used.memoryBytes += larger(granted.memoryBytes, had.memoryBytes);
  }
  return used;
}

const amounts = (quantities: ResourceQuantities): NodeResources => ({
  milliCpu: quantities.get('cpu')?.milliValue() ?? 0n,
  memoryBytes: quantities.get('memory')?.value() ?? 0n,
});

const larger = (a: bigint, b: bigint) => (a > b ? a : b);
