import type { Node, Pod } from '@nodeagent/api';
import { equalJson, fnv1a32 } from '@nodeagent/api/helpers';
import { addressesOf, endpointOf, endpointPorts, hasSelector, selectedPods } from './endpoints.js';
import type { Endpoint, EndpointPort, EndpointSlice, EndpointSliceWrite, ServiceObject } from './objects.js';

const serviceLabel = 'kubernetes.io/service-name';
const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslice-controller.k8s.io';
const headlessLabel = 'service.kubernetes.io/headless';

const maxEndpoints = 100;

export interface EndpointSlicesInput {
  service: ServiceObject;
  /** Pods of its namespace. */
  pods: readonly Pod[];
  /** For the zones of endpoints. */
  nodes: readonly Node[];
  /** EndpointSlices of its namespace. */
  slices: readonly EndpointSlice[];
}

/** The name of the Service of a slice. */
export const serviceOfSlice = ({ metadata }: Pick<EndpointSlice, 'metadata'>): string | undefined => metadata.labels?.[serviceLabel];

/**
 * What the controller of EndpointSlices writes for a Service with a selector: slices of at most 100 endpoints for each address family and each set of
 * ports, as pods may have different numbers for a named port. Kubernetes documentation, "EndpointSlices".
 */
export function reconcileEndpointSlices({ service, pods, nodes, slices }: EndpointSlicesInput): EndpointSliceWrite[] {
  if (!hasSelector(service)) return [];
  const existing = slices.filter(
    (slice) => serviceOfSlice(slice) === service.metadata.name && slice.metadata.labels?.[managerLabel] === manager,
  );
  const byName = new Map(existing.map((slice) => [slice.metadata.name, slice]));
  const desired = desiredSlices(service, selectedPods(service, pods), nodes);
  const writes: EndpointSliceWrite[] = [];
  for (const slice of desired) {
    const present = byName.get(slice.metadata.name);
    byName.delete(slice.metadata.name);
    if (present === undefined) writes.push({ verb: 'create', object: slice });
    else if (!isSame(present, slice)) {
      writes.push({ verb: 'update', object: { ...present, ...slice, metadata: { ...present.metadata, labels: labelsOf(service) } } });
    }
  }
  for (const object of byName.values()) writes.push({ verb: 'delete', object });
  return writes;
}

function isSame(present: EndpointSlice, { metadata, ports, endpoints }: EndpointSlice): boolean {
  const labels = metadata.labels ?? {};
  return equalJson([present.ports ?? [], present.endpoints ?? [], present.metadata.labels ?? {}], [ports, endpoints, labels]);
}

function desiredSlices(service: ServiceObject, pods: readonly Pod[], nodes: readonly Node[]): EndpointSlice[] {
  const { ipFamilies = ['IPv4'] } = service.spec;
  return ipFamilies.flatMap((addressType) => {
    const groups = new Map<string, { ports: EndpointPort[]; endpoints: Endpoint[] }>();
    for (const pod of pods) {
      if (addressesOf(pod, addressType).length === 0) continue;
      const ports = endpointPorts(service, pod);
      const key = JSON.stringify(ports);
      const group = groups.get(key) ?? { ports, endpoints: [] };
      groups.set(key, group);
      const node = nodes.find(({ metadata }) => metadata?.name === pod.spec?.nodeName);
      group.endpoints.push(endpointOf(service, pod, addressType, node));
    }
    // Without pods an empty slice shows that the Service has been seen.
    if (groups.size === 0) groups.set('', { ports: [], endpoints: [] });
    return [...groups].flatMap(([key, { ports, endpoints }]) =>
      chunksOf(endpoints).map((chunk, index) =>
        sliceOf(service, { addressType, ports, endpoints: chunk }, `${addressType} ${key} ${index}`),
      ),
    );
  });
}

function sliceOf(service: ServiceObject, content: Omit<EndpointSlice, 'metadata'>, identity: string): EndpointSlice {
  const { name = '', namespace = '', uid = '' } = service.metadata;
  const digits = fnv1a32(identity).toString(36).padStart(7, '0').slice(-5);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${name}-${digits}`,
      namespace,
      labels: labelsOf(service),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    ...content,
  };
}

function labelsOf({ metadata, spec }: ServiceObject): Record<string, string> {
  const { [headlessLabel]: _, ...labels } = metadata.labels ?? {};
  const headless: Record<string, string> = spec.clusterIP === 'None' ? { [headlessLabel]: '' } : {};
  return { ...labels, ...headless, [managerLabel]: manager, [serviceLabel]: metadata.name ?? '' };
}

function chunksOf(endpoints: readonly Endpoint[]): Endpoint[][] {
  const count = Math.max(1, Math.ceil(endpoints.length / maxEndpoints));
  return Array.from({ length: count }, (_, index) => endpoints.slice(index * maxEndpoints, (index + 1) * maxEndpoints));
}
