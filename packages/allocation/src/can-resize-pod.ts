import type { Container, Pod } from '@nodeagent/api';
import { computeQosClass, isStaticPod, podQosClass, Quantity } from '@nodeagent/api/helpers';
import { type NodeResources, requestedResources } from './node-resources.js';

/** Inputs of {@link canResizePod}. */
export interface ResizeInput {
  /** The pod with the requested resources. */
  pod: Pod;
  /** The pod with its allocated resources. */
  allocated: Pod;
  /** The node's allocatable resources. */
  allocatable: NodeResources;
  /** The resources that the other pods use. */
  used: NodeResources;
  /** `none` (default) or `static`. */
  cpuManagerPolicy?: string | undefined;
  /** `None` (default) or `Static`. */
  memoryManagerPolicy?: string | undefined;
  /** Whether a container may use swap. Default: none. */
  usesSwap?: ((pod: Pod, container: Container) => boolean) | undefined;
}

/** Why a resize is infeasible on this node: label `reason_detail` of the metric `kubelet_pod_infeasible_resizes_total`. */
export type InfeasibleDetail =
  | 'static_pod'
  | 'qos_class'
  | 'guaranteed_pod_cpu_manager_static_policy'
  | 'guaranteed_pod_memory_manager_static_policy'
  | 'swap_limitation'
  | 'insufficient_node_allocatable'
  | 'admit_handler';

/**
 * Whether a resize fits now, later (`Deferred`) or never (`Infeasible`); reason and message are those of the condition PodResizePending.
 */
export type ResizeDecision =
  | { fits: true }
  | { fits: false; reason: 'Deferred'; message: string }
  | { fits: false; reason: 'Infeasible'; message: string; detail: InfeasibleDetail };

/**
 * Decides on a resize as a whole: it is allocated completely or not at all. KEP-1287; Kubernetes documentation, "Resize CPU and Memory
 * Resources assigned to Containers: Limitations".
 */
export function canResizePod(input: ResizeInput): ResizeDecision {
  return impossibleResize(input) ?? exceedsNode(input) ?? exceedsFree(input) ?? { fits: true };
}

function impossibleResize(input: ResizeInput): ResizeDecision | undefined {
  const { pod, allocated, cpuManagerPolicy, memoryManagerPolicy } = input;
  if (isStaticPod(pod)) return infeasible('static_pod', 'In-place resize of static-pods is not supported');
  const qosClass = podQosClass(allocated);
  if (computeQosClass(pod) !== computeQosClass(allocated)) {
    return infeasible('qos_class', 'Pod QOS Class may not change as a result of resizing');
  }
  if (qosClass === 'Guaranteed') {
    const alongside = (manager: string, policy: string) =>
      `Resize is infeasible for Guaranteed Pods alongside ${manager} Manager policy "${policy}"`;
    if (cpuManagerPolicy === 'static' && requestChanges(input, 'cpu')) {
      return infeasible('guaranteed_pod_cpu_manager_static_policy', alongside('CPU', cpuManagerPolicy));
    }
    if (memoryManagerPolicy === 'Static' && requestChanges(input, 'memory')) {
      return infeasible('guaranteed_pod_memory_manager_static_policy', alongside('Memory', memoryManagerPolicy));
    }
  }
  if (swapHinders(input)) return infeasible('swap_limitation', 'In-place resize of containers with swap is not supported.');
  return undefined;
}

function exceedsNode({ pod, allocatable }: ResizeInput): ResizeDecision | undefined {
  const wanted = requestedResources(pod);
  const tooLittle = (resource: string, requested: bigint, capacity: bigint) =>
    infeasible(
      'insufficient_node_allocatable',
      `Node didn't have enough capacity: ${resource}, requested: ${requested}, capacity: ${capacity}`,
    );
  if (wanted.memoryBytes > allocatable.memoryBytes) return tooLittle('memory', wanted.memoryBytes, allocatable.memoryBytes);
  if (wanted.milliCpu > allocatable.milliCpu) return tooLittle('cpu', wanted.milliCpu, allocatable.milliCpu);
  return undefined;
}

function exceedsFree({ pod, allocatable, used }: ResizeInput): ResizeDecision | undefined {
  const wanted = requestedResources(pod);
  const check = (resource: string, requested: bigint, taken: bigint, capacity: bigint): ResizeDecision | undefined => {
    if (requested === 0n || requested <= capacity - taken) return undefined;
    const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${taken}, capacity: ${capacity}`;
    return { fits: false, reason: 'Deferred', message };
  };
  return (
    check('cpu', wanted.milliCpu, used.milliCpu, allocatable.milliCpu) ??
    check('memory', wanted.memoryBytes, used.memoryBytes, allocatable.memoryBytes)
  );
}

/** A container's swap limit is derived from its memory request at its start, and cannot be changed while it runs: KEP-2400. */
function swapHinders({ pod, allocated, usesSwap }: ResizeInput): boolean {
  if (usesSwap === undefined) return false;
  return resizablePairs(pod, allocated).some(([wanted, granted]) => {
    const restarts = wanted.resizePolicy?.some(
      ({ resourceName, restartPolicy }) => resourceName === 'memory' && restartPolicy === 'RestartContainer',
    );
    if (restarts || sameRequest(wanted, granted, 'memory')) return false;
    return usesSwap(pod, wanted) || usesSwap(allocated, granted);
  });
}

function requestChanges({ pod, allocated }: ResizeInput, resource: 'cpu' | 'memory'): boolean {
  return resizablePairs(pod, allocated).some(([wanted, granted]) => !sameRequest(wanted, granted, resource));
}

/** All containers except ephemeral ones, with requested and with allocated resources. */
function resizablePairs(pod: Pod, allocated: Pod): [wanted: Container, granted: Container][] {
  const granted = new Map(resizable(allocated).map((container) => [container.name, container]));
  return resizable(pod).map((container) => [container, granted.get(container.name) ?? container]);
}

const resizable = ({ spec }: Pod) => [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];

function sameRequest(a: Container, b: Container, resource: string): boolean {
  const request = ({ resources }: Container) => Quantity.parse(resources?.requests?.[resource] ?? '0');
  return request(a).equals(request(b));
}

function infeasible(detail: InfeasibleDetail, message: string): ResizeDecision {
  return { fits: false, reason: 'Infeasible', message, detail };
}
