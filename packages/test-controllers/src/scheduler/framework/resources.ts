import type { Container, Pod, ResourceList } from '@nodeagent/api';
import { podRequests, Quantity, type ResourceQuantities } from '@nodeagent/api/helpers';

/** Amounts of resources: CPU in millicores, others in their unit, bytes or pieces. */
export type Amounts = Map<string, number>;

const toAmounts = (quantities: ResourceQuantities): Amounts =>
  new Map(Array.from(quantities, ([name, amount]) => [name, Number(name === 'cpu' ? amount.milliValue() : amount.value())]));

export const amountsOf = (list: ResourceList | undefined): Amounts =>
  toAmounts(new Map(Object.entries(list ?? {}).flatMap(([name, text]) => (text === undefined ? [] : [[name, Quantity.parse(text)]]))));

/** A pod's effective requests, with init containers, sidecars, pod-level resources and overhead. */
export const podAmounts = (pod: Pod): Amounts => toAmounts(podRequests(pod));

/** What a container without a request counts for when nodes are scored, as in kube-scheduler. */
const assumed = { cpu: '100m', memory: '200Mi' };

const hasRequests = ({ resources }: Container) => resources?.requests?.cpu !== undefined && resources.requests.memory !== undefined;
const withRequests = (container: Container): Container => ({
  ...container,
  resources: { ...container.resources, requests: { ...assumed, ...container.resources?.requests } },
});

/** The requests of a pod when nodes are scored. */
export function scoredAmounts(pod: Pod, requests: Amounts): Amounts {
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  if (containers.every(hasRequests) && initContainers.every(hasRequests)) return requests;
  const spec = { ...pod.spec, containers: containers.map(withRequests), initContainers: initContainers.map(withRequests) };
  return podAmounts({ ...pod, spec });
}

/** Adds amounts, or subtracts them with a count of -1. */
export function addAmounts(total: Amounts, amounts: Amounts, count: 1 | -1): void {
  for (const [name, amount] of amounts) total.set(name, (total.get(name) ?? 0) + count * amount);
}
