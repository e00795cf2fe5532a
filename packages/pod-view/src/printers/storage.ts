import type { JsonObject } from '../json-object.js';
import { printer, type TablePrinter } from './printer.js';
import { at, isAnnotated, isTrue, joined, list, text, texts } from './read.js';
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

const defaultAnnotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

function nameWithDefault(storageClass: JsonObject): string {
  const isDefault = defaultAnnotations.some((annotation) => isAnnotated(storageClass, annotation));
  return isDefault ? `${name(storageClass)} (default)` : name(storageClass);
}

const storageClass = printer('Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age', (object, now) => [
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

const volumeAttachment = printer('Name, Attacher:name, PV, Node, Attached:boolean, Age', (object, now) => [
  name(object),
  text(object, 'spec.attacher'),
  text(object, 'spec.source.persistentVolumeName'),
  text(object, 'spec.nodeName'),
  isTrue(object, 'status.attached'),
  age(object, now),
]);

/** The kinds of volumes, by resource. The API server has no specific columns for CSIStorageCapacities. */
export const storagePrinters: Readonly<Record<string, TablePrinter>> = {
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
  'volumeattributesclasses.storage.k8s.io': printer('Name, DriverName, Age', (object, now) => [
    name(object),
    text(object, 'driverName'),
    age(object, now),
  ]),
};
