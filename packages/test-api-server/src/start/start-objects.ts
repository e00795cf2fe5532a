import { type ApiContext, timestamp } from '../context.js';
import { systemClasses } from '../kinds/priority-class.js';
import type { ApiObject } from '../objects.js';
import { flowSchemas, priorityLevels } from './flow-control.js';
import { type StartObject, startObject } from './start-object.js';

/** Where the server answers; before it listens an address of TEST-NET-1 (RFC 5737). */
export interface ServerAddress {
  ip: string;
  port: number;
}

const unlistened: ServerAddress = { ip: '192.0.2.1', port: 6443 };

/** Creates the objects that a cluster has from the start beside its namespaces: flow control, priority classes, and the Service `kubernetes`. */
export function createStartObjects(context: ApiContext): void {
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const annotations = { 'apf.kubernetes.io/autoupdate-spec': 'true' };
  for (const [name, spec] of priorityLevels) {
    const metadata = { name, generation: 1, annotations };
    const object = { apiVersion, kind: 'PriorityLevelConfiguration', metadata, spec, status: {} };
    startObject(context, 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations', object);
  }
  for (const [name, spec] of flowSchemas) {
    const metadata = { name, generation: 1, annotations };
    const status = { conditions: [danglingCondition(context, spec.priorityLevelConfiguration as { name: string })] };
    startObject(context, 'flowcontrol.apiserver.k8s.io/flowschemas', { apiVersion, kind: 'FlowSchema', metadata, spec, status });
  }
  for (const [name, value] of Object.entries(systemClasses)) {
    const object = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name, generation: 1 }, value };
    startObject(context, 'scheduling.k8s.io/priorityclasses', { ...object, preemptionPolicy: 'PreemptLowerPriority' });
  }
  startObject(context, '/services', kubernetesService(context.serviceRange.address(1)));
  for (const [storage, object] of endpointsAt(unlistened)) startObject(context, storage, object);
}

/** Creates the Service `kubernetes` again after a deletion, as a cluster does. Returns a function that stops it. */
export function keepKubernetesService(context: ApiContext): () => void {
  let isKept = true;
  const unsubscribe = context.store.onEvent(
    ({ type, object: { metadata } }) => {
      if (type !== 'DELETED' || metadata.namespace !== 'default' || metadata.name !== 'kubernetes') return;
      queueMicrotask(() => {
        if (isKept) startObject(context, '/services', kubernetesService(context.serviceRange.address(1)));
      });
    },
    { storage: '/services' },
  );
  return () => {
    isKept = false;
    unsubscribe();
  };
}

const danglingCondition = (context: ApiContext, { name }: { name: string }) => ({
  type: 'Dangling',
  status: 'False',
  lastTransitionTime: timestamp(context),
  reason: 'Found',
  message: `This FlowSchema references the PriorityLevelConfiguration object named "${name}" and it exists`,
});

const serviceLabels = { component: 'apiserver', provider: 'kubernetes' };

/** At the first address of the range of Services. */
const kubernetesService = (clusterIP: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'kubernetes', namespace: 'default', labels: serviceLabels },
  spec: {
    ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: unlistened.port }],
    clusterIP,
    clusterIPs: [clusterIP],
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    internalTrafficPolicy: 'Cluster',
  },
  status: { loadBalancer: {} },
});

/** Sets the endpoints of the Service `kubernetes`: Kubernetes documentation, "Accessing the Kubernetes API from a Pod". */
export function publishAddress({ store }: ApiContext, address: ServerAddress): void {
  for (const [storage, object] of endpointsAt(address)) {
    const before = store.get(storage, 'default', 'kubernetes');
    if (before) store.put(storage, { ...object, metadata: before.metadata } as ApiObject);
  }
}

function endpointsAt({ ip, port }: ServerAddress): [storage: string, object: StartObject][] {
  const own = { name: 'kubernetes', namespace: 'default' };
  const endpoints = {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...own, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports: [{ name: 'https', port, protocol: 'TCP' }] }],
  };
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...own, generation: 1, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: ip.includes(':') ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports: [{ name: 'https', port, protocol: 'TCP' }],
  };
  return [
    ['/endpoints', endpoints],
    ['discovery.k8s.io/endpointslices', slice],
  ];
}
