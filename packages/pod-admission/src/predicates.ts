import type { Node, Pod } from '@nodeagent/api';
import {
  findUntoleratedTaint,
  isExtendedResource,
  isStaticPod,
  matchesNodeAffinity,
  parseResourceList,
  podRequests,
  Quantity,
  type ResourceQuantities,
} from '@nodeagent/api/helpers';
import { hostPortsConflict } from './host-ports.js';
import { integerAmount, type Shortage } from './requirement.js';
import { isScalarResource } from './scalar-resource.js';

/** Why a pod does not fit on the node: too few resources, or a failed predicate. */
export type PredicateFailure = { shortage: Shortage } | { predicate: PredicateName };

export type PredicateName = 'NodeAffinity' | 'NodeName' | 'NodePorts' | 'TaintToleration';

const predicateTexts: Readonly<Record<PredicateName, string>> = {
  NodeAffinity: "node(s) didn't match Pod's node affinity/selector",
  NodeName: "node(s) didn't match the requested node name",
  NodePorts: "node(s) didn't have free ports for the requested pod ports",
  TaintToleration: "node(s) had taints that the pod didn't tolerate",
};

/** A rejection, as the reason and message of the pod's status. */
export interface Refusal {
  reason: string;
  message: string;
}

const osLabel = 'kubernetes.io/os';

/** Why the node's platform cannot run the pod, whatever resources are free; undefined if it can. */
export function platformRefusal(pod: Pod, node: Node, operatingSystem = 'linux'): Refusal | undefined {
  const label = pod.metadata?.labels?.[osLabel];
  if (label !== undefined && label !== operatingSystem) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (pod.spec?.os && pod.spec.os.name !== operatingSystem) {
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  }
  if (pod.spec?.securityContext?.supplementalGroupsPolicy === 'Strict' && !node.status?.features?.supplementalGroupsPolicy) {
    return {
      reason: 'SupplementalGroupsPolicyNotSupported',
      message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
    };
  }
  return undefined;
}

/**
 * The predicates that the pod fails beside the other pods, resources first. Kubernetes documentation, "Assigning Pods to Nodes",
 * "Taints and Tolerations".
 */
export function fitFailures(pod: Pod, node: Node, otherPods: readonly Pod[]): PredicateFailure[] {
  const failures: PredicateFailure[] = shortages(pod, node, otherPods).map((shortage) => ({ shortage }));
  const fail = (predicate: PredicateName) => failures.push({ predicate });
  if (!matchesAffinity(pod, node)) fail('NodeAffinity');
  if (pod.spec?.nodeName && pod.spec.nodeName !== node.metadata?.name) fail('NodeName');
  if (hostPortsConflict(pod, otherPods)) fail('NodePorts');
  const untolerated = findUntoleratedTaint(node.spec?.taints, pod.spec?.tolerations, ({ effect }) => effect === 'NoExecute');
  if (untolerated !== undefined && !isStaticPod(pod)) fail('TaintToleration');
  return failures;
}

/** The rejection for a failure. */
export function describeFailure(failure: PredicateFailure): Refusal {
  if ('shortage' in failure) {
    const { resource, ...quantities } = failure.shortage;
    const amount = (name: keyof typeof quantities) => integerAmount(resource, Quantity.parse(quantities[name]));
    const amounts = `requested: ${amount('requested')}, used: ${amount('used')}, capacity: ${amount('capacity')}`;
    return { reason: `OutOf${resource}`, message: `Node didn't have enough resource: ${resource}, ${amounts}` };
  }
  const { predicate } = failure;
  return { reason: predicate, message: `Predicate ${predicate} failed: ${predicateTexts[predicate]}` };
}

/** The resources that are too few for the pod. Requests for extended resources that the node does not list are ignored, as in a kubelet. */
function shortages(pod: Pod, node: Node, otherPods: readonly Pod[]): Shortage[] {
  const allocatable = parseResourceList(node.status?.allocatable);
  const found: Shortage[] = [];
  const podsCapacity = amountOf(allocatable, 'pods');
  const count = BigInt(otherPods.length);
  if (count + 1n > podsCapacity) found.push(shortageOf('pods', 1n, count, podsCapacity));

  const requests = podRequests(pod);
  for (const name of requests.keys()) if (isExtendedResource(name) && !allocatable.has(name)) requests.delete(name);
  const names = ['cpu', 'memory', 'ephemeral-storage', ...Array.from(requests.keys()).filter(isScalarResource).sort()];
  const wanted = names.filter((name) => amountOf(requests, name) > 0n);
  if (wanted.length === 0) return found;
  const others = otherPods.map((other) => podRequests(other));
  for (const resource of wanted) {
    const requested = amountOf(requests, resource);
    const used = others.reduce((total, other) => total + amountOf(other, resource), 0n);
    const capacity = amountOf(allocatable, resource);
    if (requested > capacity - used) found.push(shortageOf(resource, requested, used, capacity));
  }
  return found;
}

function shortageOf(resource: string, requested: bigint, used: bigint, capacity: bigint): Shortage {
  const unit = resource === 'cpu' ? 'm' : '';
  return { resource, requested: `${requested}${unit}`, used: `${used}${unit}`, capacity: `${capacity}${unit}` };
}

/** As {@link integerAmount}; absent is 0. */
function amountOf(resources: ResourceQuantities, name: string): bigint {
  return integerAmount(name, resources.get(name) ?? Quantity.zero);
}

/** Whether the node matches the pod's node selector and required affinity. An invalid selector matches nothing. */
export function matchesAffinity(pod: Pod, node: Pick<Node, 'metadata'>): boolean {
  try {
    return matchesNodeAffinity(pod, node);
  } catch {
    return false;
  }
}
