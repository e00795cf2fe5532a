import type { Node, OwnerReference, Pod } from '@nodeagent/api';
import { equalJson, fnv1a32 } from '@nodeagent/api/helpers';
import type { EventText } from '../workloads/objects.js';
import { addressesOf, endpointOf, endpointPorts, hasSelector, selectedPods } from './endpoints.js';
import type { Endpoint, EndpointPort, EndpointSlice, EndpointSliceWrite, ServiceObject } from './objects.js';
import { packSlices, recycled, type SlicePlan } from './pack-slices.js';
import { distributedHints, type HintedPlan, hasTopologyMode, proportionalHints, withoutHints } from './topology-hints.js';

export const serviceLabel = 'kubernetes.io/service-name';
export const managerLabel = 'endpointslice.kubernetes.io/managed-by';
export const headlessLabel = 'service.kubernetes.io/headless';
export const triggerTimeAnnotation = 'endpoints.kubernetes.io/last-change-trigger-time';
const manager = 'endpointslice-controller.k8s.io';

const maxEndpoints = 100;

export interface EndpointSlicesInput {
  service: ServiceObject;
  /** Pods of its namespace. */
  pods: readonly Pod[];
  /** For the zones of endpoints. A pod on a missing node is left out unless the Service publishes addresses that are not ready. */
  nodes: readonly Node[];
  /** EndpointSlices of its namespace. */
  slices: readonly EndpointSlice[];
  /** When the change happened that the slices follow, for the annotation of written ones. Default: none. */
  triggerTime?: string;
  /** Whether the slices had hints by the annotation of the Service. Default false. */
  wasHinted?: boolean;
}

export interface EndpointSlicesPlan {
  writes: EndpointSliceWrite[];
  /** About the Service. */
  events: EventText[];
  /** Whether the slices have hints by the annotation of the Service. */
  isHinted: boolean;
}

/** The name of the Service of a slice. */
export const serviceOfSlice = ({ metadata }: Pick<EndpointSlice, 'metadata'>): string | undefined => metadata.labels?.[serviceLabel];

/** The slice with empty lists, which are stored as null. */
export const withLists = (slice: EndpointSlice): EndpointSlice =>
  slice.ports && slice.endpoints ? slice : { ...slice, ports: slice.ports ?? [], endpoints: slice.endpoints ?? [] };

/**
 * What the controller of EndpointSlices writes for a Service with a selector: slices of at most 100 endpoints for each address family and each set of
 * ports, as pods may have different numbers for a named port. Kubernetes documentation, "EndpointSlices".
 */
export function reconcileEndpointSlices(input: EndpointSlicesInput): EndpointSlicesPlan {
  const { service, slices } = input;
  if (!hasSelector(service)) return { writes: [], events: [], isHinted: false };
  const existing = slices.filter((slice) => serviceOfSlice(slice) === service.metadata.name && managerOf(slice) === manager).map(withLists);
  const { ipFamilies: families = ['IPv4'] } = service.spec;
  const plans = families.map((family) =>
    planFamily(
      input,
      family,
      existing.filter(({ addressType }) => addressType === family),
    ),
  );
  const others = existing.filter(({ addressType }) => !families.includes(addressType));
  const names = new Set(slices.map(({ metadata }) => metadata.name));
  return {
    writes: [
      ...plans.flatMap(({ plan }) => writesOf(input, plan, names)),
      ...others.map((object) => ({ verb: 'delete' as const, object })),
    ],
    events: plans.flatMap(({ events }) => events),
    isHinted: plans.some(({ isHinted }) => isHinted),
  };
}

const managerOf = ({ metadata }: EndpointSlice): string | undefined => metadata.labels?.[managerLabel];

function planFamily(input: EndpointSlicesInput, addressType: string, existing: readonly EndpointSlice[]): HintedPlan {
  const { service, nodes, wasHinted = false } = input;
  const isOwned = ({ metadata }: EndpointSlice) => metadata.ownerReferences?.some(({ uid }) => uid === service.metadata.uid) ?? false;
  const packed = packFamily(input, addressType, existing.filter(isOwned));
  const plan = recycled({ ...packed, remove: [...packed.remove, ...existing.filter((slice) => !isOwned(slice))] }, isOwned);
  if (hasTopologyMode(service)) return proportionalHints(plan, nodes, addressType, wasHinted);
  const message = `Topology Aware Hints has been disabled, addressType: ${addressType}`;
  const events: EventText[] = wasHinted ? [{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message }] : [];
  return { plan: service.spec.trafficDistribution ? distributedHints(plan, service) : withoutHints(plan), isHinted: false, events };
}

/** Packs the endpoints of each set of ports. Without endpoints an empty slice shows that the Service has been seen. */
function packFamily(input: EndpointSlicesInput, addressType: string, existing: readonly EndpointSlice[]): SlicePlan {
  const { service } = input;
  const isCurrent = ({ metadata }: EndpointSlice) => equalJson(metadata.labels ?? {}, labelsOf(service));
  const relabelled = existing.map((slice) =>
    isCurrent(slice) ? slice : { ...slice, metadata: { ...slice.metadata, labels: labelsOf(service) } },
  );
  const changed = new Set(relabelled.filter((slice) => !existing.includes(slice)));
  const plan: SlicePlan = { create: [], update: [], remove: [], unchanged: [] };
  const desired = endpointsByPorts(input, addressType);
  for (const [key, { ports, endpoints }] of desired) {
    const own = relabelled.filter((slice) => keyOf(slice.ports) === key);
    const empty = emptySlice(service, addressType, ports);
    const part = packSlices(own, endpoints, { max: maxEndpoints, empty, isCurrent: (slice) => !changed.has(slice) });
    for (const kind of ['create', 'update', 'remove', 'unchanged'] as const) plan[kind].push(...part[kind]);
  }
  plan.remove.push(...relabelled.filter((slice) => !desired.has(keyOf(slice.ports))));
  if (plan.create.length > 0 || plan.remove.length < existing.length) return plan;
  const [only] = plan.remove;
  const isPlaceholder = only && plan.remove.length === 1 && only.ports.length + only.endpoints.length === 0 && !changed.has(only);
  return isPlaceholder ? { ...plan, remove: [], unchanged: [only] } : { ...plan, create: [emptySlice(service, addressType, [])] };
}

const keyOf = (ports: readonly EndpointPort[]): string =>
  JSON.stringify(ports.map((port) => JSON.stringify(Object.entries(port).sort())).sort());

function endpointsByPorts({ service, pods, nodes }: EndpointSlicesInput, addressType: string) {
  const groups = new Map<string, { ports: EndpointPort[]; endpoints: Endpoint[] }>();
  const byName = new Map(nodes.map((node) => [node.metadata?.name, node]));
  for (const pod of selectedPods(service, pods)) {
    const ports = endpointPorts(service, pod);
    const group = groups.get(keyOf(ports)) ?? { ports, endpoints: [] };
    groups.set(keyOf(ports), group);
    const node = byName.get(pod.spec?.nodeName ?? '');
    if (addressesOf(pod, addressType).length === 0 || !(node || service.spec.publishNotReadyAddresses)) continue;
    group.endpoints.push(endpointOf(service, pod, addressType, node));
  }
  return groups;
}

function writesOf({ service, triggerTime }: EndpointSlicesInput, plan: SlicePlan, names: Set<string | undefined>): EndpointSliceWrite[] {
  const timed = (slice: EndpointSlice): EndpointSlice => {
    const { annotations = {}, ...metadata } = slice.metadata;
    const { [triggerTimeAnnotation]: _, ...others } = annotations;
    const after = { ...others, ...(triggerTime && { [triggerTimeAnnotation]: triggerTime }) };
    return { ...slice, metadata: { ...metadata, ...(Object.keys(after).length > 0 && { annotations: after }) } };
  };
  const create = service.metadata.deletionTimestamp ? [] : plan.create;
  return [
    ...create.map((slice): EndpointSliceWrite => ({ verb: 'create', object: withName(timed(slice), names) })),
    ...plan.update.map((slice): EndpointSliceWrite => ({ verb: 'update', object: timed(slice) })),
    ...plan.remove.map((object): EndpointSliceWrite => ({ verb: 'delete', object })),
  ];
}

const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

/** The slice with a name that no other has: as the API server generates it, but by the content, so that it is the same in each run. */
export function withName(slice: EndpointSlice, names: Set<string | undefined>): EndpointSlice {
  const { addressType, ports, metadata } = slice;
  const generateName = `${serviceOfSlice(slice)}-`;
  for (let n = 0; ; n++) {
    const hash = fnv1a32(`${addressType} ${JSON.stringify(ports)} ${n}`);
    const name = generateName + [0, 1, 2, 3, 4].map((i) => suffixLetters[Math.floor(hash / 27 ** i) % 27]).join('');
    if (names.has(name)) continue;
    names.add(name);
    return { ...slice, metadata: { name, generateName, ...metadata } };
  }
}

function emptySlice(service: ServiceObject, addressType: string, ports: EndpointPort[]): EndpointSlice {
  const { namespace = '', name = '' } = service.metadata;
  const metadata = { generateName: `${name}-`, namespace, labels: labelsOf(service), ownerReferences: [ownerOf(service, 'Service')] };
  return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, ports, endpoints: [] };
}

export const ownerOf = ({ metadata: { name = '', uid = '' } }: Pick<ServiceObject, 'metadata'>, kind: string): OwnerReference => ({
  ...{ apiVersion: 'v1', kind, name, uid },
  ...{ controller: true, blockOwnerDeletion: true },
});

function labelsOf({ metadata, spec }: ServiceObject): Record<string, string> {
  const { [headlessLabel]: _, ...labels } = metadata.labels ?? {};
  return { ...labels, ...(isHeadless(spec) && { [headlessLabel]: '' }), [managerLabel]: manager, [serviceLabel]: metadata.name ?? '' };
}

/** Whether the Service has no address. A Service that was never stored by a server counts as one with an address. */
export const isHeadless = ({ clusterIP }: ServiceObject['spec']): boolean => clusterIP === 'None' || clusterIP === '';
