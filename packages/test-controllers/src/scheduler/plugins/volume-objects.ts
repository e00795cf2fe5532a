import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  VolumeAttachment,
} from '@nodeagent/api';
import type { VolumeObjects } from '../../volumes/pod-volumes.js';
import type { ObjectReader } from '../framework/snapshot.js';

/** Where the kinds of volumes are stored. */
export const volumeStorages = {
  claims: '/persistentvolumeclaims',
  volumes: '/persistentvolumes',
  classes: 'storage.k8s.io/storageclasses',
  drivers: 'storage.k8s.io/csidrivers',
  driverNodes: 'storage.k8s.io/csinodes',
  capacities: 'storage.k8s.io/csistoragecapacities',
  attachments: 'storage.k8s.io/volumeattachments',
} as const;

const { claims, volumes, classes, drivers, driverNodes, capacities, attachments } = volumeStorages;

/** The objects of volumes, as the rules of a pod's volumes read them. */
export interface StoredVolumes extends VolumeObjects {
  driverNodeOf(node: string): CSINode | undefined;
  attachments(): readonly VolumeAttachment[];
}

export function storedVolumes(objects: ObjectReader, namespace: string): StoredVolumes {
  const one = <T>(storage: string, name: string, inNamespace?: string) => objects.get(storage, inNamespace, name) as T | undefined;
  const all = <T>(storage: string) => objects.list(storage) as unknown as readonly T[];
  return {
    claimOf: (name) => one<PersistentVolumeClaim>(claims, name, namespace),
    volumeOf: (name) => one<PersistentVolume>(volumes, name),
    classOf: (name) => one<StorageClass>(classes, name),
    volumes: () => all<PersistentVolume>(volumes),
    driverOf: (name) => one<CSIDriver>(drivers, name),
    capacities: () => all<CSIStorageCapacity>(capacities),
    driverNodeOf: (node) => one<CSINode>(driverNodes, node),
    attachments: () => all<VolumeAttachment>(attachments),
  };
}
