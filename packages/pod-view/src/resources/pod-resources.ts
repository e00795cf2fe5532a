import type { Container, ContainerStatus, Pod, ResourceList, ResourceRequirements } from '@nodeagent/api';
import { formatResourceList, podLimits, podQosClass, podRequests, type QosClass } from '@nodeagent/api/helpers';
import { type PodResize, podResize } from './pod-resize.js';

/** A pod's requests and limits as a whole, as the API writes quantities. */
export interface EffectiveResources {
  requests: ResourceList;
  limits: ResourceList;
}

/** What a pod requests, what the node has allocated to it, and its QoS class. */
export interface PodResourceSummary extends EffectiveResources {
  qosClass: QosClass;
  /** What the node has allocated, if the status reports it. It differs from the requests while a resize is pending. */
  allocated?: EffectiveResources;
  /** Absent without a resize. */
  resize?: PodResize;
}

/**
 * The effective requests and limits of a pod: init containers, sidecars, overhead and pod-level resources included, as the scheduler and the
 * node count them. Throws `InvalidQuantity` for an amount that is none.
 */
export function podResources(pod: Pod): PodResourceSummary {
  const allocated = allocatedPod(pod);
  const resize = podResize(pod);
  return {
    ...effective(pod),
    qosClass: podQosClass(pod),
    ...(allocated && { allocated: effective(allocated) }),
    ...(resize && { resize }),
  };
}

function effective(pod: Pod): EffectiveResources {
  return { requests: formatResourceList(podRequests(pod)), limits: formatResourceList(podLimits(pod)) };
}

/** The pod with the resources that its node has allocated; undefined if the status reports none. */
function allocatedPod(pod: Pod): Pod | undefined {
  const { spec, status } = pod;
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  if (!spec || ![...statuses, status].some((each) => each?.allocatedResources)) return undefined;
  const byName = new Map(statuses.map((each) => [each.name, each]));
  const withAllocated = (container: Container): Container => ({
    ...container,
    resources: allocatedOf(container.resources, byName.get(container.name)),
  });
  return {
    ...pod,
    spec: {
      ...spec,
      containers: (spec.containers ?? []).map(withAllocated),
      initContainers: (spec.initContainers ?? []).map(withAllocated),
      ...(spec.resources && { resources: allocatedOf(spec.resources, status) }),
    },
  };
}

function allocatedOf(
  { requests, limits }: ResourceRequirements = {},
  status: Pick<ContainerStatus, 'allocatedResources' | 'resources'> | undefined,
): ResourceRequirements {
  return { requests: { ...requests, ...status?.allocatedResources }, limits: { ...limits, ...status?.resources?.limits } };
}
