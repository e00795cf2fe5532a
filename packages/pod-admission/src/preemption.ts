import { NodeAgentError, type Pod } from '@nodeagent/api';
import { podQosClass, type QosClass, Quantity, resourceRequest } from '@nodeagent/api/helpers';
import { podAdmissionErrorCodes } from './errors.js';
import { isPreemptable } from './preemptable.js';
import { integerAmount, type ResourceRequirement } from './requirement.js';

interface MissingAmount {
  resource: string;
  /** As {@link integerAmount}. */
  amount: bigint;
}

/**
 * The pods to kill so that a critical pod fits: as few Guaranteed pods as possible, then as few Burstable, then as few BestEffort pods, and
 * in each class those whose requests exceed the missing amount least. Considers only pods that the preemptor may preempt. Kubernetes
 * documentation, "Guaranteed Scheduling For Critical Add-On Pods". Throws `NoPodsToPreempt` if all of them together are not enough.
 */
export function preemptionVictims(preemptor: Pod, pods: readonly Pod[], requirements: readonly ResourceRequirement[]): Pod[] {
  const candidates = pods.filter((pod) => isPreemptable(preemptor, pod));
  const ofClass = (qos: QosClass) => candidates.filter((pod) => podQosClass(pod) === qos);
  const [bestEffort, burstable, guaranteed] = [ofClass('BestEffort'), ofClass('Burstable'), ofClass('Guaranteed')];
  const missing = requirements.map(({ resource, quantity }) => ({ resource, amount: integerAmount(resource, Quantity.parse(quantity)) }));
  const unmet = subtract(missing, candidates);
  if (unmet.length > 0) throw nothingToPreempt(unmet);

  const ofGuaranteed = closestPods(guaranteed, subtract(missing, [...bestEffort, ...burstable]));
  const ofBurstable = closestPods(burstable, subtract(missing, [...bestEffort, ...ofGuaranteed]));
  const ofBestEffort = closestPods(bestEffort, subtract(missing, [...ofBurstable, ...ofGuaranteed]));
  return [...ofBestEffort, ...ofBurstable, ...ofGuaranteed];
}

/** Picks pods of one class until nothing is missing, each time the pod whose requests come closest to the missing amount. */
function closestPods(pods: readonly Pod[], amounts: readonly MissingAmount[]): Pod[] {
  const left = [...pods];
  const victims: Pod[] = [];
  for (let missing = amounts; missing.length > 0; ) {
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
function subtract(amounts: readonly MissingAmount[], pods: readonly Pod[]): MissingAmount[] {
  return amounts.flatMap(({ resource, amount }) => {
    const left = pods.reduce((rest, pod) => rest - requestOf(pod, resource), amount);
    return left > 0n ? [{ resource, amount: left }] : [];
  });
}

/** The sum of the squared fractions that are still missing after the pod is killed; 0 if none is. */
function distanceTo(amounts: readonly MissingAmount[], pod: Pod): number {
  let distance = 0;
  for (const { resource, amount } of amounts) {
    const left = Number(amount - requestOf(pod, resource));
    if (left > 0) distance += (left / Number(amount)) ** 2;
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
  return resource === 'pods' ? 1n : integerAmount(resource, resourceRequest(pod, resource));
}

function nothingToPreempt(unmet: readonly MissingAmount[]): NodeAgentError {
  const list = unmet.map(({ resource, amount }) => `(res: ${resource}, q: ${amount}), `).join('');
  return new NodeAgentError(podAdmissionErrorCodes.noPodsToPreempt, `no set of running pods found to reclaim resources: [${list}]`);
}
