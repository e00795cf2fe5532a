import { formatResourceList, type Pod, podLimits, podRequests, type ResourceList, type ResourceRequirements } from '@nodeagent/api';

/** The resources of a pod as a whole, as its status tells them. */
export interface PodResources {
  /** In force. Empty for a pod that asks for nothing. */
  resources: ResourceRequirements;
  /** Granted by the node; absent for a pod that asks for nothing. */
  allocatedResources?: ResourceList;
}

/**
 * What a pod has as a whole: the sums of its containers or its own pod-level resources. `actuated` is the pod with the resources last
 * applied, which differ from those of its spec while it is being resized. KEP-5419, "In-Place Pod-Level Resources Vertical Scaling".
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
