import { type Pod, parseResourceList, podRequests, type ResourceList, type ResourceQuantities } from '@nodeagent/api';

/** The resources that can be resized in place. */
export interface NodeResources {
  milliCpu: bigint;
  memoryBytes: bigint;
}

/** Of a list as `status.allocatable` of a Node. */
export function nodeResources(list: ResourceList): NodeResources {
  return amounts(parseResourceList(list));
}

/** What a pod asks for with its overhead. */
export function requestedResources(pod: Pod): NodeResources {
  return amounts(podRequests(pod));
}

/**
 * What pods take of a node: of each the larger of what it was granted and what its containers still have, so that what a shrinking pod
 * gives back counts only once it has. Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers".
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
