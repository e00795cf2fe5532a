import type { ResourceRequirements } from './container.js';
import type { LabelSelector, ObjectMeta, ResourceList, Time } from './meta.js';

/** A claim as plain API JSON (`v1`, `PersistentVolumeClaim`). */
export interface PersistentVolumeClaim {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimStatus {
  /** `Pending`, `Bound` or `Lost`. */
  phase?: string;
  accessModes?: string[];
  capacity?: ResourceList;
  allocatedResources?: ResourceList;
  allocatedResourceStatuses?: Record<string, string>;
  conditions?: {
    type: string;
    status: string;
    lastProbeTime?: Time | null;
    lastTransitionTime?: Time | null;
    reason?: string;
    message?: string;
  }[];
  currentVolumeAttributesClassName?: string;
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[];
  selector?: LabelSelector;
  resources?: ResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  /** `Filesystem` (default) or `Block`. */
  volumeMode?: string;
}
