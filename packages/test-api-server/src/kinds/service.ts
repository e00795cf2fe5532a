import { dnsLabelProblems, isObject } from '@nodeagent/api/helpers';
import type { ApiContext } from '../context.js';
import type { ApiObject } from '../objects.js';
import type { ServiceRange } from '../start/service-range.js';
import { internalError } from '../status.js';
import type { KindRules } from './kind-rules.js';
import { fillIn } from './workloads.js';

const nodePorts = { first: 30_000, last: 32_767 };

/** Services get their addresses at creation: Kubernetes documentation, "Service ClusterIP allocation". */
export const serviceRules: KindRules = {
  nameProblems: dnsLabelProblems,
  prepareCreate: prepare,
  prepareUpdate: (object, _before, context) => prepare(object, context),
  validate(object) {
    const { ports, type, externalName } = object.spec as ServiceSpec;
    if (type === 'ExternalName') return externalName ? [] : [{ field: 'spec.externalName', problem: 'Required value' }];
    const headless = (object.spec as ServiceSpec).clusterIP === 'None';
    if (!ports?.length) return headless ? [] : [{ field: 'spec.ports', problem: 'Required value' }];
    return ports.flatMap(({ port, name }, index) => [
      ...(port !== undefined && port >= 1 && port <= 65_535
        ? []
        : [{ field: `spec.ports[${index}].port`, problem: `Invalid value: ${port ?? 0}: must be between 1 and 65535, inclusive` }]),
      ...(name || ports.length === 1 ? [] : [{ field: `spec.ports[${index}].name`, problem: 'Required value' }]),
    ]);
  },
  validateUpdate(after, before) {
    const [now, was] = [(after.spec as ServiceSpec).clusterIP, (before.spec as ServiceSpec).clusterIP];
    if (!was || !now || now === was) return [];
    return [{ field: 'spec.clusterIPs[0]', problem: `Invalid value: ["${now}"]: may not change once set` }];
  },
};

interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  externalName?: string;
  ports?: { name?: string; port?: number; targetPort?: number | string; protocol?: string; nodePort?: number }[];
  [field: string]: unknown;
}

function prepare(object: ApiObject, context: ApiContext): void {
  if (!isObject(object.spec)) object.spec = {};
  const spec = object.spec as ServiceSpec;
  fillIn(spec, { type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' });
  for (const port of spec.ports ?? []) {
    port.protocol ??= 'TCP';
    port.targetPort ??= port.port;
  }
  if (spec.type === 'ExternalName') return;
  const services = context.store.list('/services').filter(({ metadata: { uid } }) => uid !== object.metadata.uid);
  spec.clusterIP ||= freeAddress(services, context.serviceRange);
  fillIn(spec, { clusterIPs: [spec.clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') {
    fillIn(spec, { externalTrafficPolicy: 'Cluster' });
    const used = new Set(services.flatMap((service) => ((service.spec as ServiceSpec).ports ?? []).map(({ nodePort }) => nodePort)));
    for (const port of spec.ports ?? []) {
      port.nodePort ??= freePort(used);
      used.add(port.nodePort);
    }
  }
  object.status ??= { loadBalancer: {} };
}

/** The lowest free address of the range; its first one is the API server's. */
function freeAddress(services: ApiObject[], range: ServiceRange): string {
  const used = new Set(services.map(({ spec }) => (spec as ServiceSpec).clusterIP));
  for (let n = 2; n < range.size - 1; n++) {
    const address = range.address(n);
    if (!used.has(address)) return address;
  }
  throw internalError('failed to allocate a serviceIP: range is full');
}

function freePort(used: ReadonlySet<number | undefined>): number {
  for (let port = nodePorts.first; port <= nodePorts.last; port++) if (!used.has(port)) return port;
  return 0;
}
