import type { Container } from '../objects/container.js';
import type { ResourceList } from '../objects/meta.js';
import type { Pod } from '../objects/pod.js';
import { isSidecar } from './pod.js';
import { Quantity } from './quantity.js';
import { isHugePages } from './resource-names.js';

/** Amounts by resource name, ready to compute with. */
export type ResourceQuantities = Map<string, Quantity>;

export interface PodResourceOptions {
  /** Leaves out `spec.overhead`. */
  excludeOverhead?: boolean;
  /** Leaves out the pod-level `spec.resources` (KEP-2837). */
  skipPodLevelResources?: boolean;
}

/** Amounts of the API as quantities. Throws `InvalidQuantity`. */
export function parseResourceList(list: ResourceList | null | undefined): ResourceQuantities {
  const parsed: ResourceQuantities = new Map();
  addResources(parsed, list);
  return parsed;
}

/** Quantities as the API writes them. */
export function formatResourceList(resources: ReadonlyMap<string, Quantity>): ResourceList {
  return Object.fromEntries(Array.from(resources, ([name, amount]) => [name, amount.toString()]));
}

/** Whether a resource can be set for the pod as a whole: CPU, memory and huge pages. */
function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

/** Whether the pod sets a request or limit for the pod as a whole. */
export function hasPodLevelResources(pod: Pod): boolean {
  const { requests, limits } = pod.spec?.resources ?? {};
  return [requests, limits].some((list) => Object.keys(list ?? {}).some(isPodLevelResource));
}

/**
 * A pod's effective requests: the larger of the sum of regular containers and sidecars, and of the largest init step; pod-level requests
 * replace them; plus overhead. Kubernetes documentation, "Sidecar containers: resource sharing within containers", "Pod overhead".
 */
export function podRequests(pod: Pod, options: PodResourceOptions = {}): ResourceQuantities {
  const requests = aggregateContainers(pod, requestsOf);
  if (!options.skipPodLevelResources) replacePodLevel(requests, pod.spec?.resources?.requests);
  if (!options.excludeOverhead) addResources(requests, pod.spec?.overhead);
  return requests;
}

/** A pod's effective limits, computed as {@link podRequests}; overhead is added only to limits that are not zero. */
export function podLimits(pod: Pod, options: PodResourceOptions = {}): ResourceQuantities {
  const limits = aggregateContainers(pod, limitsOf);
  if (!options.skipPodLevelResources) replacePodLevel(limits, pod.spec?.resources?.limits);
  const overhead = options.excludeOverhead ? undefined : pod.spec?.overhead;
  for (const name in overhead) {
    const limit = limits.get(name);
    const amount = overhead[name];
    if (limit && amount !== undefined && !limit.isZero) limits.set(name, limit.add(Quantity.parse(amount)));
  }
  return limits;
}

/** The containers' requests, without pod-level resources and overhead. */
export function aggregateContainerRequests(pod: Pod): ResourceQuantities {
  return aggregateContainers(pod, requestsOf);
}

/**
 * A pod's request of one resource, as eviction ranks by it: the pod-level request if the pod has pod-level resources, else the containers'
 * requests; overhead is added only to a request that is not zero.
 */
export function resourceRequest(pod: Pod, name: string): Quantity {
  const request = hasPodLevelResources(pod)
    ? amountOf(pod.spec?.resources?.requests, name)
    : (aggregateContainers(pod, ({ resources }) => only(name, resources?.requests)).get(name) ?? Quantity.zero);
  return request.isZero ? request : request.add(amountOf(pod.spec?.overhead, name));
}

/** Picks one amount of a list, because parsing all amounts of thousands of pods is slow. */
function only(name: string, list: ResourceList | null | undefined): ResourceList | undefined {
  const text = list?.[name];
  return text === undefined ? undefined : { [name]: text };
}

function amountOf(list: ResourceList | undefined, name: string): Quantity {
  const text = list?.[name];
  return text === undefined ? Quantity.zero : Quantity.parse(text);
}

const requestsOf = (container: Container) => container.resources?.requests;
const limitsOf = (container: Container) => container.resources?.limits;

function aggregateContainers(pod: Pod, listOf: (container: Container) => ResourceList | undefined): ResourceQuantities {
  const total: ResourceQuantities = new Map();
  for (const container of pod.spec?.containers ?? []) addResources(total, listOf(container));
  const initContainers = pod.spec?.initContainers ?? [];
  if (initContainers.length === 0) return total;

  const sidecars: ResourceQuantities = new Map();
  const largestStep: ResourceQuantities = new Map();
  for (const container of initContainers) {
    const list = listOf(container);
    if (isSidecar(container)) {
      addResources(total, list);
      addResources(sidecars, list);
      raiseTo(largestStep, sidecars);
    } else {
      const step = parseResourceList(list);
      for (const [name, amount] of sidecars) step.set(name, step.get(name)?.add(amount) ?? amount);
      raiseTo(largestStep, step);
    }
  }
  raiseTo(total, largestStep);
  return total;
}

function addResources(total: ResourceQuantities, list: ResourceList | null | undefined): void {
  for (const name in list) {
    const text = list[name];
    if (text === undefined) continue;
    const amount = Quantity.parse(text);
    const sum = total.get(name);
    total.set(name, sum === undefined ? amount : sum.add(amount));
  }
}

function raiseTo(total: ResourceQuantities, minima: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of minima) {
    const present = total.get(name);
    if (present === undefined || amount.cmp(present) > 0) total.set(name, amount);
  }
}

function replacePodLevel(total: ResourceQuantities, podLevel: ResourceList | undefined): void {
  for (const name in podLevel) {
    const amount = podLevel[name];
    if (amount !== undefined && isPodLevelResource(name)) total.set(name, Quantity.parse(amount));
  }
}
