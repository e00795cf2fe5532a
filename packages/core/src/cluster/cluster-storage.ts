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

/** The API calls that volumes need; a `KubeClient` of `@nodeagent/kube-client` implements it. */
export interface ClusterStorage {
  persistentVolumeClaims: ObjectGetter<PersistentVolumeClaim> & ObjectPatcher<PersistentVolumeClaim>;
  persistentVolumes: ObjectGetter<PersistentVolume>;
  /** Nodes, for `volumesAttached`; with `csiNodes`, for the registration of CSI drivers. */
  nodes: ObjectGetter<Node> & ObjectUpdater<Node>;
  csiNodes: CsiNodes;
  csiDrivers: InformerSource<CSIDriver>;
  volumeAttachments: ObjectGetter<VolumeAttachment>;
  /** Secrets that persistent volumes refer to. Pod secrets come from {@link ClusterObjects}. */
  secrets: ObjectGetter<Secret>;
  /** Tokens for projected volumes and for CSI drivers. */
  serviceAccounts: { createToken(key: ObjectKey, request: TokenRequest, options?: ApiCallOptions): Promise<TokenRequest> };
}
