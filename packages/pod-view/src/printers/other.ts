import { formatAge } from '../format-age.js';
import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, count, firstThree, isTrue, joined, list, selectorText, text, texts } from './read.js';
import { age, name } from './workloads.js';

const shortModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** Abbreviated access modes, each once and in the order of the API reference. */
function accessModes(object: JsonObject, path: string): string {
  const modes = texts(object, path);
  return Object.keys(shortModes)
    .filter((mode) => modes.includes(mode))
    .map((mode) => shortModes[mode])
    .join(',');
}

const volumePhase = (object: JsonObject): string =>
  text(object, 'metadata.deletionTimestamp') ? 'Terminating' : text(object, 'status.phase');

const betaClass = (object: JsonObject): string => {
  const annotations = at(object, 'metadata.annotations') as Readonly<Record<string, string>> | undefined;
  return annotations?.['volume.beta.kubernetes.io/storage-class'] ?? text(object, 'spec.storageClassName');
};

const persistentVolume = printer(
  'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, VolumeMode*',
  (volume, now) => [
    name(volume),
    text(volume, 'spec.capacity.storage', '0'),
    accessModes(volume, 'spec.accessModes'),
    text(volume, 'spec.persistentVolumeReclaimPolicy'),
    volumePhase(volume),
    at(volume, 'spec.claimRef') ? `${text(volume, 'spec.claimRef.namespace')}/${text(volume, 'spec.claimRef.name')}` : '',
    betaClass(volume),
    text(volume, 'spec.volumeAttributesClassName', '<unset>'),
    text(volume, 'status.reason'),
    age(volume, now),
    text(volume, 'spec.volumeMode', '<unset>'),
  ],
);

const persistentVolumeClaim = printer(
  'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, VolumeMode*',
  (claim, now) => {
    const volume = text(claim, 'spec.volumeName');
    return [
      name(claim),
      volumePhase(claim),
      volume,
      volume && text(claim, 'status.capacity.storage', '0'),
      volume && accessModes(claim, 'status.accessModes'),
      betaClass(claim),
      text(claim, 'spec.volumeAttributesClassName', '<unset>'),
      age(claim, now),
      text(claim, 'spec.volumeMode', 'Filesystem'),
    ];
  },
);

function nameWithDefault(storageClass: JsonObject): string {
  const annotations = at(storageClass, 'metadata.annotations') as Readonly<Record<string, string>> | undefined;
  const isDefault = annotations?.['storageclass.kubernetes.io/is-default-class'] === 'true';
  return isDefault ? `${name(storageClass)} (default)` : name(storageClass);
}

const storageClass = printer('Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion:boolean, Age', (object, now) => [
  nameWithDefault(object),
  text(object, 'provisioner'),
  text(object, 'reclaimPolicy', 'Delete'),
  text(object, 'volumeBindingMode', 'Immediate'),
  isTrue(object, 'allowVolumeExpansion'),
  age(object, now),
]);

const csiDriver = printer(
  'Name, AttachRequired:boolean, PodInfoOnMount:boolean, StorageCapacity:boolean, TokenRequests, RequiresRepublish:boolean, Modes, Age',
  (driver, now) => [
    name(driver),
    at(driver, 'spec.attachRequired') !== false,
    isTrue(driver, 'spec.podInfoOnMount'),
    isTrue(driver, 'spec.storageCapacity'),
    joined(
      list(driver, 'spec.tokenRequests').map((request) => text(request, 'audience')),
      '<unset>',
    ),
    isTrue(driver, 'spec.requiresRepublish'),
    joined(texts(driver, 'spec.volumeLifecycleModes')),
    age(driver, now),
  ],
);

const volumeAttachment = printer('Name, Attacher, PV, Node, Attached:boolean, Age', (object, now) => [
  name(object),
  text(object, 'spec.attacher'),
  text(object, 'spec.source.persistentVolumeName'),
  text(object, 'spec.nodeName'),
  isTrue(object, 'status.attached'),
  age(object, now),
]);

const endpointSlice = printer('Name, AddressType, Ports, Endpoints, Age', (slice, now) => [
  name(slice),
  text(slice, 'addressType'),
  list(slice, 'ports').length === 0 ? '<unset>' : firstThree(list(slice, 'ports').map((port) => text(port, 'port', '*'))),
  list(slice, 'endpoints').length === 0 ? '<unset>' : firstThree(list(slice, 'endpoints').flatMap((point) => texts(point, 'addresses'))),
  age(slice, now),
]);

const ingress = printer('Name, Class, Hosts, Address, Ports, Age', (object, now) => [
  name(object),
  text(object, 'spec.ingressClassName', '<none>'),
  firstThree(list(object, 'spec.rules').map((rule) => text(rule, 'host', '*'))).replace('<none>', '*'),
  list(object, 'status.loadBalancer.ingress')
    .map((point) => text(point, 'ip', text(point, 'hostname')))
    .join(','),
  list(object, 'spec.tls').length > 0 ? '80, 443' : '80',
  age(object, now),
]);

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

const webhooks = printer('Name, Webhooks:integer, Age', (object, now) => [name(object), list(object, 'webhooks').length, age(object, now)]);

/** The printers of all other resources with specific columns, by resource. */
export const otherPrinters: Readonly<Record<string, TablePrinter>> = {
  persistentvolumes: persistentVolume,
  persistentvolumeclaims: persistentVolumeClaim,
  'storageclasses.storage.k8s.io': storageClass,
  'csidrivers.storage.k8s.io': csiDriver,
  'csinodes.storage.k8s.io': printer('Name, Drivers:integer, Age', (node, now) => [
    name(node),
    list(node, 'spec.drivers').length,
    age(node, now),
  ]),
  'volumeattachments.storage.k8s.io': volumeAttachment,
  'endpointslices.discovery.k8s.io': endpointSlice,
  'ingresses.networking.k8s.io': ingress,
  'networkpolicies.networking.k8s.io': printer('Name, Pod-Selector, Age', (policy, now) => [
    name(policy),
    selectorText(at(policy, 'spec.podSelector')),
    age(policy, now),
  ]),
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
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
};
