import { isPreemptable, NodeAgentError, type Pod, podQosClass, type QosClass, resourceRequest } from '@nodeagent/api';
import { podAdmissionErrorCodes } from './errors.js';
import type { ResourceRequirement } from './requirement.js';

/**
 * The pods to kill so that a critical pod fits: as few guaranteed ones as possible, then as few burstable ones, then best-effort ones,
 * and of each class those that free what is missing with the least beyond it. Only pods that the preemptor may preempt count. Kubernetes
 * documentation, "Guaranteed Scheduling For Critical Add-On Pods". Throws `NoPodsToPreempt` if all of them together are not enough.
 */
export function preemptionVictims(preemptor: Pod, pods: readonly Pod[], requirements: readonly ResourceRequirement[]): Pod[] {
  const candidates = pods.filter((pod) => isPreemptable(preemptor, pod));
  const ofClass = (qos: QosClass) => candidates.filter((pod) => podQosClass(pod) === qos);
  const [bestEffort, burstable, guaranteed] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  const unmet = subtract(requirements, candidates);
  if (unmet.length > 0) throw nothingToPreempt(unmet);

  const ofGuaranteed = closestPods(guaranteed, subtract(requirements, [...bestEffort, ...burstable]));
  const ofBurstable = closestPods(burstable, subtract(requirements, [...bestEffort, ...ofGuaranteed]));
  const ofBestEffort = closestPods(bestEffort, subtract(requirements, [...ofBurstable, ...ofGuaranteed]));
  return [...ofBestEffort, ...ofBurstable, ...ofGuaranteed];
}

/** Pods of one class, one by one the one that comes closest to what is still missing. */
function closestPods(pods: readonly Pod[], requirements: readonly ResourceRequirement[]): Pod[] {
  const left = [...pods];
  const victims: Pod[] = [];
  for (let missing = requirements; missing.length > 0; ) {
    let best = 0;
    let bestDistance = Number.POSITIVE_INFINITY;
    for (const [index, pod] of left.entries()) {
      const distance = distanceTo(missing, pod);
      const isBetter = distance < bestDistance || (distance === bestDistance && asksForLess(pod, left[best]));
      if (isBetter) [best, bestDistance] = [index, distance];
    }
    const victim = left[best];
    if (victim === undefined) throw nothingToPreempt(missing);
    missing = subtract(missing, [victim]);
    victims.push(victim);
    // The last one takes its place: that decides between equals in the next round.
    const last = left.pop();
    if (last !== undefined && best < left.length) left[best] = last;
  }
  return victims;
}

/** What is still missing once the pods are gone. */
function subtract(requirements: readonly ResourceRequirement[], pods: readonly Pod[]): ResourceRequirement[] {
  return requirements.flatMap(({ resource, quantity }) => {
    const left = pods.reduce((rest, pod) => rest - requestOf(pod, resource), quantity);
    return left > 0n ? [{ resource, quantity: left }] : [];
  });
}

/** How much would still be missing without the pod: the sum of the squared parts, 0 if nothing. */
function distanceTo(requirements: readonly ResourceRequirement[], pod: Pod): number {
  let distance = 0;
  for (const { resource, quantity } of requirements) {
    const left = Number(quantity - requestOf(pod, resource));
    if (left > 0) distance += (left / Number(quantity)) ** 2;
  }
  return distance;
}

/** Whether the pod asks for less memory than the other, or for as much and no more CPU. */
function asksForLess(pod: Pod, other: Pod | undefined): boolean {
  if (other === undefined) return true;
  for (const resource of ['memory', 'cpu']) {
    const difference = requestOf(pod, resource) - requestOf(other, resource);
    if (difference !== 0n) return difference < 0n;
  }
  return true;
}

function requestOf(pod: Pod, resource: string): bigint {
  if (resource === 'pods') return 1n;
  const request = resourceRequest(pod, resource);
  return resource === 'cpu' ? request.milliValue() : request.value();
}

function nothingToPreempt(unmet: readonly ResourceRequirement[]): NodeAgentError {
  const list = unmet.map(({ resource, quantity }) => `(res: ${resource}, q: ${quantity}), `).join('');
  return new NodeAgentError(podAdmissionErrorCodes.noPodsToPreempt, `no set of running pods found to reclaim resources: [${list}]`);
}
