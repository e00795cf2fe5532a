import type { Pod } from '@nodeagent/api';
import { equalJson } from '@nodeagent/api/helpers';
import { headlessLabel, isHeadless, triggerTimeAnnotation } from './endpoint-slices.js';
import { addressesOf, endpointOf, endpointPorts, hasSelector, selectedPods } from './endpoints.js';
import type { EndpointAddress, EndpointSubset, EndpointsObject, ServiceObject } from './objects.js';

const managerLabel = 'endpoints.kubernetes.io/managed-by';
const overCapacity = 'endpoints.kubernetes.io/over-capacity';
const capacity = 1000;

/**
 * The Endpoints of a Service with a selector: its pods in the first address family, at most 1000. Undefined if they are as they should be, or
 * do not follow from pods. Kubernetes documentation, "Service: Endpoints".
 */
export function reconcileEndpoints(input: {
  service: ServiceObject;
  /** Pods of its namespace. */
  pods: readonly Pod[];
  before?: EndpointsObject | undefined;
  triggerTime?: string | undefined;
}): EndpointsObject | undefined {
  const { service, before, triggerTime } = input;
  const { publishNotReadyAddresses: isPublished } = service.spec;
  if (!hasSelector(service)) return undefined;
  const pods = selectedPods(service, input.pods).filter(({ metadata }) => isPublished || !metadata?.deletionTimestamp);
  const all = repackSubsets(pods.flatMap((pod) => subsetsOf(service, pod)));
  const subsets = truncated(all);
  const { [headlessLabel]: _, [managerLabel]: _manager, ...labels } = service.metadata.labels ?? {};
  const { [headlessLabel]: _headless, ...present } = before?.metadata.labels ?? {};
  const { [triggerTimeAnnotation]: _time, [overCapacity]: cut, ...annotations } = before?.metadata.annotations ?? {};
  const marked = { ...labels, [managerLabel]: 'endpoint-controller' };
  const isSame = equalJson(before?.subsets ?? [], subsets) && equalJson(present, marked) && (cut !== undefined) === (subsets !== all);
  if (before && isSame) return undefined;
  const after = {
    ...annotations,
    ...(triggerTime && { [triggerTimeAnnotation]: triggerTime }),
    ...(subsets !== all && { [overCapacity]: 'truncated' }),
  };
  const { name = '', namespace = '' } = service.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: {
      ...(before?.metadata ?? { name, namespace }),
      labels: { ...marked, ...(isHeadless(service.spec) && { [headlessLabel]: '' }) },
      ...((before || Object.keys(after).length > 0) && { annotations: after }),
    },
    subsets,
  };
}

/** The pod's address with each port of the Service. */
function subsetsOf(service: ServiceObject, pod: Pod): EndpointSubset[] {
  const family = service.spec.ipFamilies?.[0] ?? 'IPv4';
  const { addresses, conditions, hostname, nodeName, targetRef } = endpointOf(service, pod, family, undefined);
  const [ip] = addressesOf(pod, family);
  if (ip === undefined || addresses.length === 0) return [];
  const address: EndpointAddress = { ip, ...(hostname && { hostname }), ...(nodeName && { nodeName }), ...(targetRef && { targetRef }) };
  const isReady = conditions.serving || service.spec.publishNotReadyAddresses;
  const listed = isReady ? { addresses: [address] } : { notReadyAddresses: [address] };
  if (!service.spec.ports?.length) return isHeadless(service.spec) ? [listed] : [];
  return endpointPorts(service, pod).map(({ name, ...port }) => ({ ...listed, ports: [{ ...(name && { name }), ...port }] }));
}

interface Placed {
  address: EndpointAddress;
  isReady: boolean;
}

type Port = NonNullable<EndpointSubset['ports']>[number];

/** Subsets with each set of addresses once, with all its ports. An address that is not ready in one subset is ready in none with that port. */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const byPort = new Map<string, { port: Port | undefined; placed: Map<string, Placed> }>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of subsets) {
    for (const port of ports.length > 0 ? ports : [undefined]) {
      const entry = byPort.get(JSON.stringify(port ?? '')) ?? { port, placed: new Map<string, Placed>() };
      byPort.set(JSON.stringify(port ?? ''), entry);
      for (const address of addresses) {
        const key = addressKey(address);
        if (!entry.placed.has(key)) entry.placed.set(key, { address, isReady: true });
      }
      for (const address of notReadyAddresses) entry.placed.set(addressKey(address), { address, isReady: false });
    }
  }
  const groups = new Map<string, { ports: Port[]; placed: Placed[] }>();
  for (const { port, placed } of byPort.values()) {
    const sorted = [...placed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
    const key = JSON.stringify(sorted);
    const group = groups.get(key) ?? { ports: [], placed: sorted };
    groups.set(key, group);
    if (port) group.ports.push(port);
  }
  return [...groups.values()].map(({ ports, placed }) => {
    const of = (ready: boolean) => placed.filter(({ isReady }) => isReady === ready).map(({ address }) => address);
    const [ready, others] = [of(true), of(false)];
    return {
      ...(ready.length > 0 && { addresses: ready }),
      ...(others.length > 0 && { notReadyAddresses: others }),
      ...(ports.length > 0 && { ports }),
    };
  });
}

const addressKey = ({ ip, targetRef }: EndpointAddress): string => `${ip} ${targetRef?.uid ?? ''}`;

/** At most 1000 addresses, of each subset in proportion, those that are ready first; the same array if they are fewer. */
function truncated(subsets: EndpointSubset[]): EndpointSubset[] {
  const count = (key: 'addresses' | 'notReadyAddresses') => subsets.reduce((sum, subset) => sum + (subset[key]?.length ?? 0), 0);
  const [ready, others] = [count('addresses'), count('notReadyAddresses')];
  if (ready + others <= capacity) return subsets;
  const key = ready > capacity ? 'addresses' : 'notReadyAddresses';
  const [max, total] = ready > capacity ? [capacity, ready] : [capacity - ready, others];
  let room = max;
  return subsets.map(({ notReadyAddresses, ...subset }) => {
    const own = (key === 'addresses' ? subset.addresses : notReadyAddresses) ?? [];
    const kept = own.slice(0, Math.min(room, Math.ceil((own.length / total) * max)));
    room -= kept.length;
    return { ...subset, ...(kept.length > 0 && { [key]: kept }) };
  });
}
