import type { LocalObjectReference, ObjectMeta, QuantityText } from './meta.js';
import type { PersistentVolumeClaimSpec } from './persistent-volume-claim.js';
import { type DownwardAPIVolumeFile, type KeyToPath, projectionReferences, type VolumeProjection } from './volume-projection.js';
import type { VolumeReference } from './volume-reference.js';

/** The source of a pod's volume: exactly one of these fields. */
export interface VolumeSource extends PluginVolumeSource, ClaimVolumeSource, FormerVolumeSource {}

/** Sources that a volume plugin of the node mounts. */
export interface PluginVolumeSource {
  emptyDir?: EmptyDirVolumeSource;
  hostPath?: HostPathVolumeSource;
  configMap?: ConfigMapVolumeSource;
  secret?: SecretVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  projected?: ProjectedVolumeSource;
  csi?: CSIVolumeSource;
  image?: ImageVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  fc?: FCVolumeSource;
}

/** Sources that refer to the persistent volume of a claim. */
export interface ClaimVolumeSource {
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  ephemeral?: EphemeralVolumeSource;
}

/** Sources of the API that nodes no longer mount: Kubernetes has removed their plugins or migrated them to CSI drivers. */
export interface FormerVolumeSource {
  awsElasticBlockStore?: object;
  azureDisk?: object;
  azureFile?: { secretName?: string };
  cephfs?: SecretRefSource;
  cinder?: SecretRefSource;
  /** Needs a volume plugin of the embedder; no in-tree plugin supports it. */
  flexVolume?: FlexVolumeSource;
  flocker?: object;
  gcePersistentDisk?: object;
  gitRepo?: object;
  glusterfs?: { endpoints?: string };
  photonPersistentDisk?: object;
  portworxVolume?: object;
  quobyte?: object;
  rbd?: SecretRefSource;
  scaleIO?: SecretRefSource;
  storageos?: SecretRefSource;
  vsphereVolume?: object;
}

/** The source of a persistent volume: exactly one of these fields, which are those that current nodes mount. */
export interface PersistentVolumeSource {
  csi?: CSIPersistentVolumeSource;
  hostPath?: HostPathVolumeSource;
  local?: LocalVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  fc?: FCVolumeSource;
}

/** The field name of a volume source. */
export type VolumeSourceKind = keyof VolumeSource;

/** The field name of a source that a volume plugin of the node mounts, in a volume or a persistent volume. */
export type PluginVolumeKind = keyof PluginVolumeSource | keyof PersistentVolumeSource;

/**
 * A volume's use of the node's disk. `pod`: local ephemeral storage of the pod; `node`: files of the node; `none`: not on the node's disk.
 */
export type VolumeDiskUse = 'pod' | 'node' | 'none';

/** Facts about a kind of volume source that several packages use. */
export interface VolumeSourceFacts<Source> {
  diskUse(source: Source): VolumeDiskUse;
  references(source: Source): VolumeReference[];
}

/** A kind of source that a volume plugin of the node mounts. */
export interface PluginVolumeFacts<Source> extends VolumeSourceFacts<Source> {
  /** The name of the in-tree plugin, such as `kubernetes.io/nfs`. */
  plugin: string;
}

/** A kind of source that mounts the persistent volume of a claim. */
export interface ClaimVolumeFacts<Source> extends VolumeSourceFacts<Source> {
  /** The name of the claim, in the pod's namespace. */
  claimName(source: Source, podName: string, volumeName: string): string;
}

type Has<Sources, Kind extends keyof Sources> = NonNullable<Sources[Kind]>;

type VolumeSources = {
  readonly [Kind in keyof PluginVolumeSource]-?: PluginVolumeFacts<Has<PluginVolumeSource, Kind>>;
} & {
  readonly [Kind in Exclude<keyof PersistentVolumeSource, keyof PluginVolumeSource>]-?: PluginVolumeFacts<
    Has<PersistentVolumeSource, Kind>
  >;
} & {
  readonly [Kind in keyof ClaimVolumeSource]-?: ClaimVolumeFacts<Has<ClaimVolumeSource, Kind>>;
} & {
  readonly [Kind in keyof FormerVolumeSource]-?: VolumeSourceFacts<Has<FormerVolumeSource, Kind>>;
};

const onPodsDisk = (): VolumeDiskUse => 'pod';
const onNodesDisk = (): VolumeDiskUse => 'node';
const elsewhere = (): VolumeDiskUse => 'none';
const none = (): VolumeReference[] => [];

const bySecretRef = ({ secretRef }: SecretRefSource): VolumeReference[] =>
  secretRef ? [{ to: 'secret', name: secretRef.name, field: 'secretRef' }] : [];

/**
 * The table of volume sources. Every kind of {@link VolumeSource} and {@link PersistentVolumeSource} needs an entry, which the compiler
 * checks.
 */
export const volumeSources: VolumeSources = {
  emptyDir: { plugin: 'kubernetes.io/empty-dir', diskUse: ({ medium }) => (medium ? 'none' : 'pod'), references: none },
  hostPath: { plugin: 'kubernetes.io/host-path', diskUse: onNodesDisk, references: none },
  configMap: { plugin: 'kubernetes.io/configmap', diskUse: onPodsDisk, references: ({ name }) => [{ to: 'configMap', name }] },
  secret: { plugin: 'kubernetes.io/secret', diskUse: elsewhere, references: ({ secretName: name }) => [{ to: 'secret', name }] },
  downwardAPI: { plugin: 'kubernetes.io/downward-api', diskUse: elsewhere, references: none },
  projected: {
    plugin: 'kubernetes.io/projected',
    diskUse: elsewhere,
    references: ({ sources = [] }) => sources.flatMap(projectionReferences),
  },
  csi: {
    plugin: 'kubernetes.io/csi',
    diskUse: elsewhere,
    references: ({ driver, nodePublishSecretRef: secret }) => [
      { to: 'csiDriver', name: driver },
      ...(secret ? [{ to: 'secret', name: secret.name, field: 'nodePublishSecretRef' } as const] : []),
    ],
  },
  image: { plugin: 'kubernetes.io/image', diskUse: elsewhere, references: none },
  local: { plugin: 'kubernetes.io/local-volume', diskUse: elsewhere, references: none },
  nfs: { plugin: 'kubernetes.io/nfs', diskUse: elsewhere, references: none },
  iscsi: { plugin: 'kubernetes.io/iscsi', diskUse: elsewhere, references: bySecretRef },
  fc: { plugin: 'kubernetes.io/fc', diskUse: elsewhere, references: none },

  persistentVolumeClaim: {
    claimName: ({ claimName }) => claimName,
    diskUse: elsewhere,
    references: ({ claimName: name }) => [{ to: 'persistentVolumeClaim', name }],
  },
  ephemeral: {
    claimName: (_source, podName, volumeName) => `${podName}-${volumeName}`,
    diskUse: elsewhere,
    references: () => [{ to: 'ephemeralClaim' }],
  },

  awsElasticBlockStore: { diskUse: elsewhere, references: none },
  azureDisk: { diskUse: elsewhere, references: none },
  azureFile: { diskUse: elsewhere, references: ({ secretName: name }) => [{ to: 'secret', name, field: 'secretName' }] },
  cephfs: { diskUse: elsewhere, references: bySecretRef },
  cinder: { diskUse: elsewhere, references: bySecretRef },
  flexVolume: { diskUse: elsewhere, references: bySecretRef },
  flocker: { diskUse: elsewhere, references: none },
  gcePersistentDisk: { diskUse: elsewhere, references: none },
  gitRepo: { diskUse: onPodsDisk, references: none },
  glusterfs: { diskUse: elsewhere, references: ({ endpoints: name }) => [{ to: 'endpoints', name }] },
  photonPersistentDisk: { diskUse: elsewhere, references: none },
  portworxVolume: { diskUse: elsewhere, references: none },
  quobyte: { diskUse: elsewhere, references: none },
  rbd: { diskUse: elsewhere, references: bySecretRef },
  scaleIO: { diskUse: elsewhere, references: bySecretRef },
  storageos: { diskUse: elsewhere, references: bySecretRef },
  vsphereVolume: { diskUse: elsewhere, references: none },
};

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

export interface DownwardAPIVolumeSource {
  items?: DownwardAPIVolumeFile[];
  defaultMode?: number;
}

export interface ProjectedVolumeSource {
  sources?: VolumeProjection[];
  defaultMode?: number;
}

export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean;
}

export interface EphemeralVolumeSource {
  volumeClaimTemplate?: { metadata?: ObjectMeta; spec: PersistentVolumeClaimSpec };
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
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: LocalObjectReference;
  initiatorName?: string;
}

export interface FCVolumeSource {
  targetWWNs?: string[];
  wwids?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
}

export interface FlexVolumeSource extends SecretRefSource {
  /** The name of the plugin that supports it, such as `example.com/scratch`. */
  driver: string;
  fsType?: string;
  readOnly?: boolean;
  options?: Record<string, string>;
}

export interface FlexPersistentVolumeSource extends Omit<FlexVolumeSource, 'secretRef'> {
  secretRef?: SecretReference;
}

/** A directory or a device of the node. */
export interface LocalVolumeSource {
  path: string;
  fsType?: string;
}

/** A source with a secret in the pod's namespace. */
export interface SecretRefSource {
  secretRef?: LocalObjectReference;
}

/** A secret by name and namespace. */
export interface SecretReference {
  name?: string;
  namespace?: string;
}

export interface CSIPersistentVolumeSource {
  driver: string;
  volumeHandle: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  controllerPublishSecretRef?: SecretReference;
  controllerExpandSecretRef?: SecretReference;
  nodeStageSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  nodeExpandSecretRef?: SecretReference;
}
