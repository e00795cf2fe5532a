import type { ObjectMeta, ObjectReference, ResourceList, Time } from './meta.js';
import type { NodeSelector } from './pod.js';
import type { FlexPersistentVolumeSource, PersistentVolumeSource } from './volume-sources.js';

/** A persistent volume as plain API JSON (`v1`, `PersistentVolume`), with the sources that current nodes mount. */
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
  /** The claim that the volume is bound to. */
  claimRef?: ObjectReference;
  persistentVolumeReclaimPolicy?: string;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  /** `Filesystem` (default) or `Block`. */
  volumeMode?: string;
  mountOptions?: string[];
  /** The nodes that can access the volume. */
  nodeAffinity?: { required?: NodeSelector };
  /** Needs a volume plugin of the embedder; no in-tree plugin supports it. */
  flexVolume?: FlexPersistentVolumeSource;
}

/** A request to attach a volume to a node, and its status (`storage.k8s.io/v1`, `VolumeAttachment`). */
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
  /** The API server returns null for no drivers; clients convert that to absent. */
  spec: { drivers?: CSINodeDriver[] };
}

export interface CSINodeDriver {
  name: string;
  /** The node's ID in the driver. */
  nodeID: string;
  topologyKeys?: string[];
  allocatable?: { count?: number };
}

/** The properties of a CSI driver (`storage.k8s.io/v1`, `CSIDriver`); its name is the driver's. */
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
  /** Service account tokens that the driver receives when it publishes a volume. */
  tokenRequests?: { audience: string; expirationSeconds?: number }[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
  storageCapacity?: boolean;
  /** Seconds between updates of a node's allocatable volume count. */
  nodeAllocatableUpdatePeriodSeconds?: number;
  /** Pass the tokens in the secrets instead of in the volume context. */
  serviceAccountTokenInSecrets?: boolean;
}
