import type { Pod, ResourceList, ResourceRequirements } from '@nodeagent/api';
import { formatResourceList, podLimits, podRequests } from '@nodeagent/api/helpers';

/** The pod-level resources in a pod's status. */
export interface PodResources {
  /** The actual resources. Empty for a pod without requests and limits. */
  resources: ResourceRequirements;
  /** The allocated requests; absent for a pod without requests. */
  allocatedResources?: ResourceList;
}

/**
 * A pod's total resources: the sums of its containers or its pod-level resources. `actuated` is the pod with the resources last applied,
 * which differ from those of its spec while it is being resized. KEP-5419, "In-Place Pod-Level Resources Vertical Scaling".
 */
export function podResourcesFromSpec(pod: Pod, actuated: Pod = pod): PodResources {
  const granted = formatResourceList(podRequests(pod));
  const requests = actuated === pod ? granted : formatResourceList(podRequests(actuated));
  const limits = formatResourceList(podLimits(actuated));
  const resources: ResourceRequirements = {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
  return { resources, ...(Object.keys(granted).length > 0 && { allocatedResources: granted }) };
}
