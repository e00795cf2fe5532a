import type { ResourceRequirements } from './container.js';
import type { ObjectFieldSelector, ResourceFieldSelector } from './downward-api.js';
import type { LabelSelector, LocalObjectReference, ObjectMeta, QuantityText } from './meta.js';

/** A volume of a pod: a name and exactly one source. */
export interface Volume {
  name: string;
  emptyDir?: EmptyDirVolumeSource;
  hostPath?: HostPathVolumeSource;
  configMap?: ConfigMapVolumeSource;
  secret?: SecretVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  projected?: ProjectedVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  csi?: CSIVolumeSource;
  image?: ImageVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  fc?: FCVolumeSource;
  /** Served by a volume plugin that an embedder adds; no plugin of the agent's own takes it. */
  flexVolume?: FlexVolumeSource;
}

export interface FlexVolumeSource {
  /** Names the plugin that serves it, such as `example.com/scratch`. */
  driver: string;
  fsType?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
  options?: Record<string, string>;
}

export interface EmptyDirVolumeSource {
  /** `''` for the node's disk, `Memory` for a tmpfs, `HugePages` or `HugePages-<size>`. */
  medium?: string;
  sizeLimit?: QuantityText;
}

export interface HostPathVolumeSource {
  path: string;
  /** `''`, `DirectoryOrCreate`, `Directory`, `FileOrCreate`, `File`, `Socket`, `CharDevice` or `BlockDevice`. */
  type?: string;
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export interface ConfigMapVolumeSource {
  name?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

export interface SecretVolumeSource {
  secretName?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

export interface DownwardAPIVolumeFile {
  path: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
}

export interface DownwardAPIVolumeSource {
  items?: DownwardAPIVolumeFile[];
  defaultMode?: number;
}

export interface ProjectedVolumeSource {
  sources?: VolumeProjection[];
  defaultMode?: number;
}

export interface VolumeProjection {
  secret?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  configMap?: { name?: string; items?: KeyToPath[]; optional?: boolean };
  downwardAPI?: { items?: DownwardAPIVolumeFile[] };
  serviceAccountToken?: { audience?: string; expirationSeconds?: number; path: string };
  clusterTrustBundle?: {
    name?: string;
    signerName?: string;
    labelSelector?: LabelSelector;
    optional?: boolean;
    path: string;
  };
  podCertificate?: {
    signerName: string;
    keyType: string;
    maxExpirationSeconds?: number;
    credentialBundlePath?: string;
    keyPath?: string;
    certificateChainPath?: string;
    userAnnotations?: Record<string, string>;
  };
}

export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean;
}

export interface EphemeralVolumeSource {
  volumeClaimTemplate?: { metadata?: ObjectMeta; spec: PersistentVolumeClaimSpec };
}

export interface PersistentVolumeClaimSpec {
  accessModes?: string[];
  selector?: LabelSelector;
  resources?: ResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  /** `Filesystem` (default) or `Block`. */
  volumeMode?: string;
}

export interface CSIVolumeSource {
  driver: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  nodePublishSecretRef?: LocalObjectReference;
}

export interface ImageVolumeSource {
  reference?: string;
  pullPolicy?: string;
}

export interface NFSVolumeSource {
  server: string;
  path: string;
  readOnly?: boolean;
}

export interface ISCSIVolumeSource {
  targetPortal: string;
  iqn: string;
  lun: number;
  portals?: string[];
  fsType?: string;
  readOnly?: boolean;
  iscsiInterface?: string;
}

export interface FCVolumeSource {
  targetWWNs?: string[];
  wwids?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
}
