import type { PersistentVolume, PersistentVolumeClaim } from '@nodeagent/api';

/** A write of the binder. `updateStatus` writes the subresource, with the complete object. */
export interface VolumeWrite {
  verb: 'create' | 'update' | 'updateStatus' | 'delete';
  object: PersistentVolume | PersistentVolumeClaim;
}
