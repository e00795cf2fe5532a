import type { Container, Node, Pod } from '@nodeagent/api';
import { isIP, isPodReady, isTerminalPhase } from '@nodeagent/api/helpers';
import type { Endpoint, EndpointPort, ServiceObject, ServicePort } from './objects.js';

/** Whether the endpoints of a Service follow from pods. */
export const hasSelector = ({ spec }: Pick<ServiceObject, 'spec'>): boolean =>
  spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0;

/** Whether the Service selects pods with these labels. */
export function selects({ spec }: Pick<ServiceObject, 'spec'>, labels: Readonly<Record<string, string>> = {}): boolean {
  return Object.entries(spec.selector ?? {}).every(([key, value]) => labels[key] === value);
}

/** The pods of a namespace that a Service selects, whatever their state. */
export const matchingPods = (service: ServiceObject, pods: readonly Pod[]): Pod[] =>
  pods.filter(({ metadata }) => metadata?.namespace === service.metadata.namespace && selects(service, metadata?.labels));

/** The pods of a Service, sorted by name: those with its labels and an address that have not terminated. */
export function selectedPods(service: ServiceObject, pods: readonly Pod[]): Pod[] {
  return matchingPods(service, pods)
    .filter((pod) => !isTerminalPhase(pod.status?.phase) && podAddresses(pod).length > 0)
    .sort((a, b) => ((a.metadata?.name ?? '') < (b.metadata?.name ?? '') ? -1 : 1));
}

/** The pod's addresses of a family. */
export function addressesOf(pod: Pod, addressType: string): string[] {
  return podAddresses(pod).filter((address) => isIP(address) === (addressType === 'IPv6' ? 6 : 4));
}

function podAddresses({ status }: Pod): string[] {
  const addresses = (status?.podIPs ?? []).flatMap(({ ip }) => (ip ? [ip] : []));
  return addresses.length > 0 ? addresses : status?.podIP ? [status.podIP] : [];
}

/** The ports of a Service on one pod; a named port that the pod does not have is left out. */
export function endpointPorts({ spec }: ServiceObject, pod: Pod): EndpointPort[] {
  return (spec.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol && { appProtocol }) }];
  });
}

function targetPort({ port, targetPort: target = port, protocol = 'TCP' }: ServicePort, { spec }: Pod): number | undefined {
  if (typeof target === 'number') return target;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const containers: readonly Container[] = [...(spec?.containers ?? []), ...sidecars];
  return containers.flatMap(({ ports = [] }) => ports).find((each) => each.name === target && (each.protocol ?? 'TCP') === protocol)
    ?.containerPort;
}

/** The endpoint of a pod: Kubernetes documentation, "EndpointSlices: conditions". */
export function endpointOf(service: ServiceObject, pod: Pod, addressType: string, node: Node | undefined): Endpoint {
  const { namespace = '', name = '', uid = '', deletionTimestamp } = pod.metadata ?? {};
  const { hostname, subdomain, nodeName } = pod.spec ?? {};
  const serving = isPodReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const zone = node?.metadata?.labels?.['topology.kubernetes.io/zone'];
  return {
    addresses: addressesOf(pod, addressType).slice(0, 1),
    conditions: { ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating), serving, terminating },
    ...(hostname && subdomain === service.metadata.name && { hostname }),
    ...(nodeName && { nodeName }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(zone && { zone }),
  };
}
