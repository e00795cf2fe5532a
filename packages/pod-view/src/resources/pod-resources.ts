import type { Container, ContainerStatus, Pod, ResourceList, ResourceRequirements } from '@nodeagent/api';
import { findPodCondition, formatResourceList, podLimits, podQosClass, podRequests, type QosClass } from '@nodeagent/api/helpers';

/** A pod's requests and limits as a whole, as the API writes quantities. */
export interface EffectiveResources {
  requests: ResourceList;
  limits: ResourceList;
}

/** What a pod requests, what the node has allocated to it, and its QoS class. */
export interface PodResources extends EffectiveResources {
  qosClass: QosClass;
  /** What the node has allocated, if the status reports it. It differs from the requests while a resize is pending. */
  allocated?: EffectiveResources;
  /** Absent without a resize. */
  resize?: PodResize;
}

/** An in-place resize: Kubernetes documentation, "Resize CPU and Memory Resources assigned to Containers". */
export interface PodResize {
  /**
   * `Deferred`: it fits later; `Infeasible`: it never fits on this node; `Proposed`: the node has not decided; `InProgress`: the node applies
   * it; `Error`: the node fails to apply it.
   */
  state: 'Proposed' | 'Deferred' | 'Infeasible' | 'InProgress' | 'Error';
  /** The node's message; empty if it has none. */
  message: string;
}

/**
 * The effective requests and limits of a pod: init containers, sidecars, overhead and pod-level resources included, as the scheduler and the
 * node count them. Throws `InvalidQuantity` for an amount that is none.
 */
export function podResources(pod: Pod): PodResources {
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

/** The pod's resize by its conditions; also by the field `resize` that nodes before v1.33 set. */
export function podResize({ status }: Pod): PodResize | undefined {
  const pending = findPodCondition(status, 'PodResizePending');
  if (pending?.status === 'True') return { state: stateOf(pending.reason, 'Proposed'), message: pending.message ?? '' };
  const progress = findPodCondition(status, 'PodResizeInProgress');
  if (progress?.status === 'True') return { state: stateOf(progress.reason, 'InProgress'), message: progress.message ?? '' };
  return status?.resize ? { state: stateOf(status.resize, 'Proposed'), message: '' } : undefined;
}

const states: readonly PodResize['state'][] = ['Proposed', 'Deferred', 'Infeasible', 'InProgress', 'Error'];

const stateOf = (reason: string | undefined, other: PodResize['state']) => states.find((state) => state === reason) ?? other;

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
