import type {
  ApiCallOptions,
  CSIDriver,
  InformerSource,
  Node,
  ObjectGetter,
  ObjectKey,
  ObjectPatcher,
  ObjectUpdater,
  PersistentVolume,
  PersistentVolumeClaim,
  Secret,
  TokenRequest,
  VolumeAttachment,
} from '@nodeagent/api';
import type { CsiNodes } from '@nodeagent/csi';

/** What volumes ask of the API server; a `KubeClient` of `@nodeagent/kube-client` is one. */
export interface ClusterStorage {
  persistentVolumeClaims: ObjectGetter<PersistentVolumeClaim> & ObjectPatcher<PersistentVolumeClaim>;
  persistentVolumes: ObjectGetter<PersistentVolume>;
  /** Which volumes are attached; with `csiNodes`, where CSI drivers are announced. */
  nodes: ObjectGetter<Node> & ObjectUpdater<Node>;
  csiNodes: CsiNodes;
  csiDrivers: InformerSource<CSIDriver>;
  volumeAttachments: ObjectGetter<VolumeAttachment>;
  /** Secrets that persistent volumes refer to; those of pods are read elsewhere. */
  secrets: ObjectGetter<Secret>;
  /** Tokens for projected volumes and for CSI drivers. */
  serviceAccounts: { createToken(key: ObjectKey, request: TokenRequest, options?: ApiCallOptions): Promise<TokenRequest> };
}
