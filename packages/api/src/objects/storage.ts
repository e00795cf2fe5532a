import type { LabelSelector, ObjectMeta, ObjectReference, QuantityText, ResourceList, Time } from './meta.js';
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

/** How the volumes of its claims are made (`storage.k8s.io/v1`, `StorageClass`). */
export interface StorageClass {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  provisioner: string;
  parameters?: Record<string, string>;
  /** Default `Delete`. */
  reclaimPolicy?: string;
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  /** `Immediate` (default) or `WaitForFirstConsumer`. */
  volumeBindingMode?: string;
  /** The nodes whose volumes it provisions: one of the terms. Default: all. */
  allowedTopologies?: { matchLabelExpressions?: { key: string; values: string[] }[] }[];
}

/** The free storage of a class on some nodes (`storage.k8s.io/v1`, `CSIStorageCapacity`). */
export interface CSIStorageCapacity {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
  storageClassName: string;
  /** The nodes; none without it. */
  nodeTopology?: LabelSelector;
  capacity?: QuantityText;
  /** The largest volume, if it is smaller than `capacity`. */
  maximumVolumeSize?: QuantityText;
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
  /** Whether pods with volumes of the driver wait for a node that has it. Default false. */
  preventPodSchedulingIfMissing?: boolean;
  /** Pass the tokens in the secrets instead of in the volume context. */
  serviceAccountTokenInSecrets?: boolean;
}
