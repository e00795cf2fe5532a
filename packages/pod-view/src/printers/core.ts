import type { JsonObject } from '../json-object.js';
import { podPrinter } from './pod.js';
import { printer, type TablePrinter } from './printer.js';
import { at, count, firstThree, joined, labelsText, list, since, size, text, texts } from './read.js';
import { age, containersAndImages, name, nameAndAge } from './workloads.js';

const roleLabel = 'node-role.kubernetes.io/';

function nodeStatus(node: JsonObject): string {
  const ready = list(node, 'status.conditions').find(({ type }) => type === 'Ready');
  const readiness = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady';
  return at(node, 'spec.unschedulable') === true ? `${readiness},SchedulingDisabled` : readiness;
}

function nodeRoles(node: JsonObject): string {
  const labels = Object.entries(at(node, 'metadata.labels') ?? {});
  const roles = labels.flatMap(([label, value]) =>
    label.startsWith(roleLabel) ? [label.slice(roleLabel.length)] : label === 'kubernetes.io/role' ? [String(value)] : [],
  );
  return joined([...new Set(roles.filter((role) => role !== ''))].sort());
}

function nodeAddress(node: JsonObject, type: string): string {
  const found = list(node, 'status.addresses').find((address) => address.type === type);
  return found ? text(found, 'address') : '<none>';
}

/** `6.1.0 (amd64)`: the kernel and its architecture. */
function kernelText(node: JsonObject): string {
  const version = text(node, 'status.nodeInfo.kernelVersion', '<unknown>');
  const architecture = text(node, 'status.nodeInfo.architecture');
  return architecture === '' ? version : `${version} (${architecture})`;
}

const nodePrinter = printer(
  'Name, Status, Roles, Age, Version, Internal-IP*, External-IP*, OS-Image*, Kernel-Version*, Container-Runtime*',
  (node, now) => [
    name(node),
    nodeStatus(node),
    nodeRoles(node),
    age(node, now),
    text(node, 'status.nodeInfo.kubeletVersion'),
    nodeAddress(node, 'InternalIP'),
    nodeAddress(node, 'ExternalIP'),
    text(node, 'status.nodeInfo.osImage', '<unknown>'),
    kernelText(node),
    text(node, 'status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  ],
);

const eventColumns = 'Last Seen, Type, Reason, Object, Subobject*, Source*, Message, First Seen*, Count*, Name*';

/** Events of both groups; in `events.k8s.io` the old fields are named `deprecated...`. */
const eventPrinter = printer(eventColumns, (event, now) => {
  const isNew = at(event, 'regarding') !== undefined;
  const first = since(event, isNew ? 'deprecatedFirstTimestamp' : 'firstTimestamp', now, since(event, 'eventTime', now));
  const last = since(event, isNew ? 'deprecatedLastTimestamp' : 'lastTimestamp', now, first);
  const about = isNew ? 'regarding' : 'involvedObject';
  const source = isNew ? 'deprecatedSource' : 'source';
  const kind = text(event, `${about}.kind`).toLowerCase();
  const target = text(event, `${about}.name`);
  const component = text(event, `${source}.component`, text(event, 'reportingController', text(event, 'reportingComponent')));
  const host = text(event, `${source}.host`, text(event, 'reportingInstance'));
  const seen = count(event, isNew ? 'deprecatedCount' : 'count') || 1;
  return [
    at(event, 'series') === undefined ? last : since(event, 'series.lastObservedTime', now),
    text(event, 'type'),
    text(event, 'reason'),
    target === '' ? kind : `${kind}/${target}`,
    text(event, `${about}.fieldPath`),
    host === '' ? component : `${component}, ${host}`,
    text(event, isNew ? 'note' : 'message').trim(),
    first,
    at(event, 'series') === undefined ? seen : count(event, 'series.count'),
    name(event),
  ];
});

function externalIP(service: JsonObject): string {
  const own = texts(service, 'spec.externalIPs');
  switch (text(service, 'spec.type')) {
    case 'ExternalName':
      return text(service, 'spec.externalName');
    case 'LoadBalancer': {
      const points = list(service, 'status.loadBalancer.ingress').map((point) => text(point, 'ip', text(point, 'hostname')));
      const ingress = [...new Set(points)].filter((point) => point !== '').sort();
      return joined([...ingress, ...own], '<pending>');
    }
    case '':
    case 'ClusterIP':
    case 'NodePort':
      return joined(own);
    default:
      return '<unknown>';
  }
}

function servicePorts(service: JsonObject): string {
  return joined(
    list(service, 'spec.ports').map((port) => {
      const nodePort = count(port, 'nodePort');
      return `${text(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${text(port, 'protocol', 'TCP')}`;
    }),
  );
}

const servicePrinter = printer('Name, Type, Cluster-IP, External-IP, Port(s), Age, Selector*', (service, now) => [
  name(service),
  text(service, 'spec.type', 'ClusterIP'),
  texts(service, 'spec.clusterIPs')[0] ?? text(service, 'spec.clusterIP', '<none>'),
  externalIP(service),
  servicePorts(service),
  age(service, now),
  labelsText(at(service, 'spec.selector')),
]);

function endpointsText(endpoints: JsonObject): string {
  const addresses = list(endpoints, 'subsets').flatMap((subset) => {
    const ips = list(subset, 'addresses').map((address) => text(address, 'ip'));
    const ports = list(subset, 'ports').map((port) => text(port, 'port'));
    return ports.length === 0 ? ips : ports.flatMap((port) => ips.map((ip) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)));
  });
  return list(endpoints, 'subsets').length === 0 ? '<none>' : firstThree(addresses, '');
}

const dataPrinter = printer('Name, Data, Age', (object, now) => [
  name(object),
  size(object, 'data') + size(object, 'binaryData'),
  age(object, now),
]);

const quotaText = (quota: JsonObject, select: (resource: string) => boolean): string =>
  Object.keys(at(quota, 'status.hard') ?? {})
    .filter(select)
    .sort()
    .map((resource) => `${resource}: ${amount(quota, 'used', resource)}/${amount(quota, 'hard', resource)}`)
    .join(', ');

/** The quantity of a resource, whose name may contain dots. */
function amount(quota: JsonObject, side: 'used' | 'hard', resource: string): string {
  const amounts = at(quota, `status.${side}`) as Readonly<Record<string, unknown>> | undefined;
  return String(amounts?.[resource] ?? 0);
}

const isLimit = (resource: string): boolean => resource.startsWith('limits.');

const componentPrinter = printer('Name, Status, Message, Error', (component) => {
  const healthy = list(component, 'conditions').find(({ type }) => type === 'Healthy');
  const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
  return [name(component), status, text(healthy, 'message'), text(healthy, 'error')];
});

/** The kinds of the core group and of `events.k8s.io`, by resource. */
export const corePrinters: Readonly<Record<string, TablePrinter>> = {
  pods: podPrinter,
  nodes: nodePrinter,
  events: eventPrinter,
  'events.events.k8s.io': eventPrinter,
  services: servicePrinter,
  configmaps: dataPrinter,
  componentstatuses: componentPrinter,
  namespaces: printer('Name, Status, Age', (namespace, now) => [name(namespace), text(namespace, 'status.phase'), age(namespace, now)]),
  secrets: printer('Name, Type, Data, Age', (secret, now) => [name(secret), text(secret, 'type'), size(secret, 'data'), age(secret, now)]),
  serviceaccounts: nameAndAge,
  endpoints: printer('Name, Endpoints, Age', (endpoints, now) => [name(endpoints), endpointsText(endpoints), age(endpoints, now)]),
  podtemplates: printer('Name, Containers, Images, Pod Labels', (template) => [
    name(template),
    ...containersAndImages(template, 'template.spec'),
    labelsText(at(template, 'template.metadata.labels')),
  ]),
  resourcequotas: printer('Name, Request, Limit, Age', (quota, now) => [
    name(quota),
    quotaText(quota, (resource) => !isLimit(resource)),
    quotaText(quota, isLimit),
    age(quota, now),
  ]),
};
