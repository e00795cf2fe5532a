import { formatResourceList, type Pod, podLimits, podRequests, type ResourceList, type ResourceRequirements } from '@nodeagent/api';

/** The resources of a pod as a whole, as its status tells them. */
export interface PodResources {
  /** In force. Empty for a pod that asks for nothing. */
  resources: ResourceRequirements;
  /** Granted by the node; absent for a pod that asks for nothing. */
  allocatedResources?: ResourceList;
}

/**
 * What a pod's spec asks for as a whole: the sums of its containers or its own pod-level resources. This is what holds while nothing is
 * being resized. KEP-5419, "In-Place Pod-Level Resources Vertical Scaling".
 */
export function podResourcesFromSpec(pod: Pod): PodResources {
  const requests = formatResourceList(podRequests(pod));
  const limits = formatResourceList(podLimits(pod));
  const resources: ResourceRequirements = {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(requests).length > 0 && { requests }),
  };
  return { resources, ...(resources.requests && { allocatedResources: resources.requests }) };
}
