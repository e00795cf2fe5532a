import type { ResourceList } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';
import type { ResourceQuantities } from './pod-resources.js';
import { Quantity } from './quantity.js';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

/** The class in the pod's status, else the computed one. A pod's class never changes. */
export function podQosClass(pod: Pod): QosClass {
  const recorded = pod.status?.qosClass;
  return recorded === 'Guaranteed' || recorded === 'Burstable' || recorded === 'BestEffort' ? recorded : computeQosClass(pod);
}

/** The quality of service class of a pod's resources: Kubernetes documentation, "Pod Quality of Service Classes". */
export function computeQosClass(pod: Pod): QosClass {
  const requests: ResourceQuantities = new Map();
  const limits: ResourceQuantities = new Map();
  const podLevel = pod.spec?.resources;
  const resources = podLevel ? [podLevel] : [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].map((c) => c.resources);
  let allLimited = true;
  for (const each of resources) {
    addPositive(requests, each?.requests);
    if (addPositive(limits, each?.limits) < 2) allLimited = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const guaranteed =
    allLimited && requests.size === limits.size && Array.from(requests).every(([name, request]) => limits.get(name)?.equals(request));
  return guaranteed ? 'Guaranteed' : 'Burstable';
}

/** Adds the positive CPU and memory amounts of the list; returns their number. */
function addPositive(total: ResourceQuantities, list: ResourceList | undefined): number {
  let found = 0;
  for (const name of ['cpu', 'memory']) {
    const text = list?.[name];
    if (text === undefined) continue;
    const amount = Quantity.parse(text);
    if (amount.sign <= 0) continue;
    found++;
    total.set(name, total.get(name)?.add(amount) ?? amount);
  }
  return found;
}
