import { isPreemptable, NodeAgentError, type Pod, podQosClass, type QosClass, resourceRequest } from '@nodeagent/api';
import { podAdmissionErrorCodes } from './errors.js';
import type { ResourceRequirement } from './requirement.js';

/**
 * The pods to kill so that a critical pod fits: as few Guaranteed pods as possible, then as few Burstable, then as few BestEffort pods, and
 * in each class those whose requests exceed the missing amount least. Considers only pods that the preemptor may preempt. Kubernetes
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

/** Picks pods of one class until nothing is missing, each time the pod whose requests come closest to the missing amount. */
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
    // The last pod moves to the position of the removed one, which decides between equal pods in the next round.
    const last = left.pop();
    if (last !== undefined && best < left.length) left[best] = last;
  }
  return victims;
}

/** The amounts still missing after the pods are killed. */
function subtract(requirements: readonly ResourceRequirement[], pods: readonly Pod[]): ResourceRequirement[] {
  return requirements.flatMap(({ resource, quantity }) => {
    const left = pods.reduce((rest, pod) => rest - requestOf(pod, resource), quantity);
    return left > 0n ? [{ resource, quantity: left }] : [];
  });
}

/** The sum of the squared fractions that are still missing after the pod is killed; 0 if none is. */
function distanceTo(requirements: readonly ResourceRequirement[], pod: Pod): number {
  let distance = 0;
  for (const { resource, quantity } of requirements) {
    const left = Number(quantity - requestOf(pod, resource));
    if (left > 0) distance += (left / Number(quantity)) ** 2;
  }
  return distance;
}

/** Whether the pod requests less memory than the other, or the same memory and at most the same CPU. */
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
