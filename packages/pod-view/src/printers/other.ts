import { formatAge } from '../format-age.js';
import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, count, isTrue, list, text } from './read.js';
import { age, name } from './workloads.js';

function requestConditions(request: JsonObject): string {
  const types = list(request, 'status.conditions').map(({ type }) => type);
  const decision = types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending';
  return `${decision}${types.includes('Failed') ? ',Failed' : ''}${text(request, 'status.certificate') ? ',Issued' : ''}`;
}

const signingRequest = printer('Name, Age, SignerName, Requestor, RequestedDuration, Condition', (request, now) => {
  const seconds = at(request, 'spec.expirationSeconds');
  return [
    name(request),
    age(request, now),
    text(request, 'spec.signerName', '<none>'),
    text(request, 'spec.username'),
    typeof seconds === 'number' ? formatAge(seconds * 1_000) : '<none>',
    requestConditions(request),
  ];
});

const subjects = (binding: JsonObject, kind: string): string =>
  list(binding, 'subjects')
    .filter((subject) => subject.kind === kind)
    .map((subject) => (kind === 'ServiceAccount' ? `${text(subject, 'namespace')}/${text(subject, 'name')}` : text(subject, 'name')))
    .join(', ');

const roleBinding = printer('Name, Role, Age, Users*, Groups*, ServiceAccounts*', (binding, now) => [
  name(binding),
  `${text(binding, 'roleRef.kind')}/${text(binding, 'roleRef.name')}`,
  age(binding, now),
  subjects(binding, 'User'),
  subjects(binding, 'Group'),
  subjects(binding, 'ServiceAccount'),
]);

/** The printers of all other resources with specific columns, by resource. */
export const otherPrinters: Readonly<Record<string, TablePrinter>> = {
  'certificatesigningrequests.certificates.k8s.io': signingRequest,
  'leases.coordination.k8s.io': printer('Name, Holder, Age', (lease, now) => [
    name(lease),
    text(lease, 'spec.holderIdentity'),
    age(lease, now),
  ]),
  'runtimeclasses.node.k8s.io': printer('Name, Handler, Age', (object, now) => [name(object), text(object, 'handler'), age(object, now)]),
  'priorityclasses.scheduling.k8s.io': printer('Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy', (object, now) => [
    name(object),
    count(object, 'value'),
    isTrue(object, 'globalDefault'),
    age(object, now),
    text(object, 'preemptionPolicy'),
  ]),
  'rolebindings.rbac.authorization.k8s.io': roleBinding,
  'clusterrolebindings.rbac.authorization.k8s.io': roleBinding,
};
