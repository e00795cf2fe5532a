import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, firstThree, isAnnotated, list, selectorText, text, texts } from './read.js';
import { age, name } from './workloads.js';

/** A port of a slice by its number, else by its name; all ports without both. */
const slicePort = (port: JsonObject): string => text(port, 'port', typeof port.name === 'string' ? port.name : '*');

const endpointSlice = printer('Name, AddressType, Ports, Endpoints, Age', (slice, now) => [
  name(slice),
  text(slice, 'addressType'),
  firstThree(list(slice, 'ports').map(slicePort), '') || '<unset>',
  firstThree(
    list(slice, 'endpoints').flatMap((point) => texts(point, 'addresses')),
    '<unset>',
  ),
  age(slice, now),
]);

/** Three hosts, and the number of rules beyond three. Rules without a host are not shown. */
function hosts(rules: JsonObject[]): string {
  const named = rules.map((rule) => text(rule, 'host')).filter((host) => host !== '');
  if (named.length === 0) return '*';
  const isLonger = named.length > 3 || (named.length === 3 && text(rules.at(-1), 'host') === '');
  return isLonger ? `${named.slice(0, 3).join(',')} + ${rules.length - 3} more...` : named.join(',');
}

function loadBalancerPoints(object: JsonObject): string {
  const points = list(object, 'status.loadBalancer.ingress').map((point) => text(point, 'ip', text(point, 'hostname')));
  return [...new Set(points)]
    .filter((point) => point !== '')
    .sort()
    .join(',');
}

const ingress = printer('Name, Class, Hosts, Address, Ports, Age', (object, now) => [
  name(object),
  text(object, 'spec.ingressClassName', '<none>'),
  hosts(list(object, 'spec.rules')),
  loadBalancerPoints(object),
  list(object, 'spec.tls').length > 0 ? '80, 443' : '80',
  age(object, now),
]);

const ingressClass = printer('Name, Controller, Parameters, Age', (object, now) => {
  const group = text(object, 'spec.parameters.apiGroup');
  const kind = text(object, 'spec.parameters.kind');
  return [
    isAnnotated(object, 'ingressclass.kubernetes.io/is-default-class') ? `${name(object)} (default)` : name(object),
    text(object, 'spec.controller'),
    at(object, 'spec.parameters') ? `${group ? `${kind}.${group}` : kind}/${text(object, 'spec.parameters.name')}` : '<none>',
    age(object, now),
  ];
});

function parentText(address: JsonObject): string {
  const parent = at(address, 'spec.parentRef');
  if (parent === undefined) return '<none>';
  const resource = [text(parent, 'resource'), text(parent, 'group')].filter(Boolean).join('.').toLowerCase();
  return [resource, text(parent, 'namespace'), text(parent, 'name')].filter(Boolean).join('/');
}

export const networkingPrinters: Readonly<Record<string, TablePrinter>> = {
  'endpointslices.discovery.k8s.io': endpointSlice,
  'ingresses.networking.k8s.io': ingress,
  'ingressclasses.networking.k8s.io': ingressClass,
  'ipaddresses.networking.k8s.io': printer('Name, ParentRef', (address) => [name(address), parentText(address)]),
  'networkpolicies.networking.k8s.io': printer('Name, Pod-Selector, Age', (policy, now) => [
    name(policy),
    selectorText(at(policy, 'spec.podSelector')),
    age(policy, now),
  ]),
  'servicecidrs.networking.k8s.io': printer('Name, CIDRs, Age', (range, now) => [
    name(range),
    texts(range, 'spec.cidrs').join(','),
    age(range, now),
  ]),
};
