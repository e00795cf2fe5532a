import type { ObjectMeta, PersistentVolume, PersistentVolumeClaim } from '@nodeagent/api';

/** `storage.k8s.io/v1`, `StorageClass`: the fields that the binder reads. */
export interface StorageClass {
  metadata: ObjectMeta;
  provisioner: string;
  parameters?: Record<string, string>;
  /** Default `Delete`. */
  reclaimPolicy?: string;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  /** `Immediate` or `WaitForFirstConsumer`. */
  volumeBindingMode?: string;
}

/** A write of the binder. `updateStatus` writes the subresource, with the complete object. */
export interface VolumeWrite {
  verb: 'create' | 'update' | 'updateStatus' | 'delete';
  object: PersistentVolume | PersistentVolumeClaim;
}
