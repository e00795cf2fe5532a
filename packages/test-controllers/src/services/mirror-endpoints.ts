import { equalJson, isIP } from '@nodeagent/api/helpers';
import type { EventText } from '../workloads/objects.js';
import { managerLabel, ownerOf, serviceLabel, serviceOfSlice, triggerTimeAnnotation, withLists, withName } from './endpoint-slices.js';
import { repackSubsets } from './endpoints-object.js';
import type { Endpoint, EndpointAddress, EndpointSlice, EndpointSliceWrite, EndpointsObject, ServiceObject } from './objects.js';
import { recycled, type SlicePlan } from './pack-slices.js';

const manager = 'endpointslicemirroring-controller.k8s.io';
/** `--mirroring-max-endpoints-per-subset`. */
const maxEndpoints = 1000;

/** Annotations that slices do not get. */
const ownAnnotations = [triggerTimeAnnotation, 'kubectl.kubernetes.io/last-applied-configuration'];

export interface MirrorInput {
  /** Name of the Service and of its Endpoints. */
  name: string;
  endpoints?: EndpointsObject | undefined;
  service?: Pick<ServiceObject, 'metadata' | 'spec'> | undefined;
  /** EndpointSlices of the namespace. */
  slices: readonly EndpointSlice[];
}

export const isMirror = ({ metadata }: Pick<EndpointSlice, 'metadata'>): boolean => metadata.labels?.[managerLabel] === manager;

/**
 * The EndpointSlices of Endpoints that a user wrote for a Service without a selector: one for each family and set of ports. Kubernetes
 * documentation, "EndpointSlices: EndpointSlice mirroring".
 */
export function mirrorEndpoints({ name, endpoints, service, slices }: MirrorInput): { writes: EndpointSliceWrite[]; events: EventText[] } {
  const existing = slices.filter((slice) => isMirror(slice) && serviceOfSlice(slice) === name).map(withLists);
  if (!endpoints || !service || service.spec.selector || !isMirrored(endpoints)) {
    return { writes: existing.map((object) => ({ verb: 'delete', object })), events: [] };
  }
  const { desired, skipped } = desiredSlices(endpoints);
  const plan: SlicePlan = { create: [], update: [], remove: [], unchanged: [] };
  const found = new Set<EndpointSlice>();
  for (const slice of desired) {
    const present = existing.find((each) => keyOf(each) === keyOf(slice));
    if (present === undefined) plan.create.push(slice);
    else if (!isSame(present, slice)) plan.update.push({ ...slice, metadata: { ...slice.metadata, name: present.metadata.name ?? '' } });
    if (present) found.add(present);
  }
  plan.remove = existing.filter((slice) => !found.has(slice));
  const names = new Set(slices.map(({ metadata }) => metadata.name));
  const { create, update, remove } = (['IPv4', 'IPv6'] as const).reduce((after, family) => recycledOf(after, family), plan);
  const message = `A max of ${maxEndpoints} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
  return {
    writes: [
      ...create.map((slice): EndpointSliceWrite => ({ verb: 'create', object: withName(slice, names) })),
      ...update.map((object): EndpointSliceWrite => ({ verb: 'update', object })),
      ...remove.map((object): EndpointSliceWrite => ({ verb: 'delete', object })),
    ],
    events: skipped > 0 ? [{ type: 'Warning', reason: 'TooManyAddressesToMirror', message }] : [],
  };
}

/** A slice keeps its address family. */
function recycledOf(plan: SlicePlan, family: string): SlicePlan {
  const isOf = ({ addressType }: EndpointSlice) => addressType === family;
  const part = recycled({ ...plan, create: plan.create.filter(isOf) }, isOf);
  return { ...part, create: [...plan.create.filter((slice) => !isOf(slice)), ...part.create] };
}

function isMirrored({ metadata: { labels = {}, annotations = {} } }: EndpointsObject): boolean {
  return labels['endpointslice.kubernetes.io/skip-mirror'] !== 'true' && !('control-plane.alpha.kubernetes.io/leader' in annotations);
}

const keyOf = ({ addressType, ports }: EndpointSlice): string => JSON.stringify([addressType, ports]);

function isSame(present: EndpointSlice, wanted: EndpointSlice): boolean {
  const of = ({ metadata, endpoints }: EndpointSlice) => [
    metadata.labels ?? {},
    metadata.annotations ?? {},
    metadata.ownerReferences ?? [],
    endpoints.toSorted((a, b) => ((a.addresses[0] ?? '') < (b.addresses[0] ?? '') ? -1 : 1)),
  ];
  return equalJson(of(present), of(wanted));
}

function desiredSlices(endpoints: EndpointsObject): { desired: EndpointSlice[]; skipped: number } {
  const { namespace = '', name = '', labels, annotations = {} } = endpoints.metadata;
  const copied = Object.entries(annotations).filter(([key]) => !ownAnnotations.includes(key));
  const metadata = {
    namespace,
    labels: { ...labels, [serviceLabel]: name, [managerLabel]: manager },
    ...(copied.length > 0 && { annotations: Object.fromEntries(copied) }),
    ownerReferences: [ownerOf(endpoints, 'Endpoints')],
  };
  let skipped = 0;
  const desired = repackSubsets(endpoints.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const all = [...addresses.map((each) => endpointOf(each, true)), ...notReadyAddresses.map((each) => endpointOf(each, false))];
    skipped += Math.max(0, all.length - maxEndpoints);
    const kept = all.slice(0, maxEndpoints);
    return ['IPv4', 'IPv6'].flatMap((addressType): EndpointSlice[] => {
      const own = kept.filter((endpoint) => isIP(endpoint.addresses[0] ?? '') === (addressType === 'IPv6' ? 6 : 4));
      if (own.length === 0) return [];
      const slicePorts = ports.map(({ name: portName = '', protocol = 'TCP', ...port }) => ({ name: portName, protocol, ...port }));
      return [{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata, addressType, ports: slicePorts, endpoints: own }];
    });
  });
  return { desired, skipped };
}

const endpointOf = ({ ip, targetRef, nodeName, hostname }: EndpointAddress, ready: boolean): Endpoint => ({
  addresses: [ip],
  conditions: { ready },
  ...(targetRef && { targetRef }),
  ...(nodeName && { nodeName }),
  ...(hostname && { hostname }),
});
