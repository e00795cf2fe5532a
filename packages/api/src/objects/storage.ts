import type { ObjectMeta, ObjectReference, ResourceList, Time } from './meta.js';
import type { NodeSelector } from './pod.js';
import type { FlexPersistentVolumeSource, PersistentVolumeSource } from './volume-sources.js';

/** A persistent volume as plain API JSON (`v1`, `PersistentVolume`), with the sources that a node of today mounts. */
export interface PersistentVolume {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec?: PersistentVolumeSpec;
  status?: { phase?: string; message?: string; reason?: string };
}

export interface PersistentVolumeSpec extends PersistentVolumeSource {
  capacity?: ResourceList;
  accessModes?: string[];
  /** The claim that has it. */
  claimRef?: ObjectReference;
  persistentVolumeReclaimPolicy?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  /** `Filesystem` (default) or `Block`. */
  volumeMode?: string;
  mountOptions?: string[];
  /** From which nodes it can be reached. */
  nodeAffinity?: { required?: NodeSelector };
  /** Served by a volume plugin that an embedder adds; no in-tree plugin supports it. */
  flexVolume?: FlexPersistentVolumeSource;
}

/** That a volume is, or is to be, attached to a node (`storage.k8s.io/v1`, `VolumeAttachment`). */
export interface VolumeAttachment {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: {
    /** The CSI driver's name. */
    attacher: string;
    nodeName: string;
    source: { persistentVolumeName?: string };
  };
  status?: {
    attached: boolean;
    /** What the driver's ControllerPublishVolume returned. */
    attachmentMetadata?: Record<string, string>;
    attachError?: VolumeError;
    detachError?: VolumeError;
  };
}

export interface VolumeError {
  time?: Time | null;
  message?: string;
  errorCode?: number;
}

/** The CSI drivers of a node (`storage.k8s.io/v1`, `CSINode`); its name is the node's. */
export interface CSINode {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  /** The API server answers null where there is no driver; so clients see none. */
  spec: { drivers?: CSINodeDriver[] };
}

export interface CSINodeDriver {
  name: string;
  /** The node's name as the driver knows it. */
  nodeID: string;
  topologyKeys?: string[];
  allocatable?: { count?: number };
}

/** What a CSI driver wants (`storage.k8s.io/v1`, `CSIDriver`); its name is the driver's. */
export interface CSIDriver {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  spec: CSIDriverSpec;
}

export interface CSIDriverSpec {
  /** Default true. */
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  /** `ReadWriteOnceWithFSType` (default), `File` or `None`. */
  fsGroupPolicy?: string;
  /** `Persistent` (default), `Ephemeral`. */
  volumeLifecycleModes?: string[];
  /** Tokens handed over when a volume is published. */
  tokenRequests?: { audience: string; expirationSeconds?: number }[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  storageCapacity?: boolean;
  /** Seconds between two updates of a node's allocatable count. */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /** The tokens go with the secrets instead of the volume context. */
  serviceAccountTokenInSecrets?: boolean;
}
