import { bool, embedded, enumeration, int64, type MessageInit, message, repeated, string, stringMap, strings } from '@nodeagent/protobuf';
import { service } from './method.js';

/** `VolumeCapability.AccessMode.Mode` of CSI. */
export const csiAccessModes = [
  'UNKNOWN',
  'SINGLE_NODE_WRITER',
  'SINGLE_NODE_READER_ONLY',
  'MULTI_NODE_READER_ONLY',
  'MULTI_NODE_SINGLE_WRITER',
  'MULTI_NODE_MULTI_WRITER',
  'SINGLE_NODE_SINGLE_WRITER',
  'SINGLE_NODE_MULTI_WRITER',
] as const;
export type CsiAccessMode = (typeof csiAccessModes)[number];

/** `NodeServiceCapability.RPC.Type` of CSI. */
export const csiNodeCapabilities = [
  'UNKNOWN',
  'STAGE_UNSTAGE_VOLUME',
  'GET_VOLUME_STATS',
  'EXPAND_VOLUME',
  'VOLUME_CONDITION',
  'SINGLE_NODE_MULTI_WRITER',
  'VOLUME_MOUNT_GROUP',
] as const;
export type CsiNodeCapability = (typeof csiNodeCapabilities)[number];

const empty = message({});
const topology = message({ segments: stringMap(1) });
const volumeCapability = message({
  /** Exactly one of the two fields is set. */
  block: embedded(1, empty),
  mount: embedded(2, message({ fsType: string(1), mountFlags: strings(2), volumeMountGroup: string(3) })),
  accessMode: embedded(3, message({ mode: enumeration(1, csiAccessModes) })),
});
export type CsiVolumeCapability = MessageInit<typeof volumeCapability>;

const volumeUsage = message({
  available: int64(1),
  total: int64(2),
  used: int64(3),
  unit: enumeration(4, ['UNKNOWN', 'BYTES', 'INODES']),
});

/** The Node service of a CSI driver (`csi.v1.Node`). Fields `secrets` must not be logged. */
export const csiNodeService = service('csi.v1.Node', {
  nodeStageVolume: [
    message({
      volumeId: string(1),
      publishContext: stringMap(2),
      stagingTargetPath: string(3),
      volumeCapability: embedded(4, volumeCapability),
      secrets: stringMap(5),
      volumeContext: stringMap(6),
    }),
    empty,
  ],
  nodeUnstageVolume: [message({ volumeId: string(1), stagingTargetPath: string(2) }), empty],
  nodePublishVolume: [
    message({
      volumeId: string(1),
      publishContext: stringMap(2),
      stagingTargetPath: string(3),
      targetPath: string(4),
      volumeCapability: embedded(5, volumeCapability),
      readonly: bool(6),
      secrets: stringMap(7),
      volumeContext: stringMap(8),
    }),
    empty,
  ],
  nodeUnpublishVolume: [message({ volumeId: string(1), targetPath: string(2) }), empty],
  nodeGetVolumeStats: [
    message({ volumeId: string(1), volumePath: string(2), stagingTargetPath: string(3) }),
    message({ usage: repeated(1, volumeUsage), volumeCondition: embedded(2, message({ abnormal: bool(1), message: string(2) })) }),
  ],
  nodeExpandVolume: [
    message({
      volumeId: string(1),
      volumePath: string(2),
      capacityRange: embedded(3, message({ requiredBytes: int64(1), limitBytes: int64(2) })),
      stagingTargetPath: string(4),
      volumeCapability: embedded(5, volumeCapability),
      secrets: stringMap(6),
    }),
    message({ capacityBytes: int64(1) }),
  ],
  nodeGetCapabilities: [
    empty,
    message({ capabilities: repeated(1, message({ rpc: embedded(1, message({ type: enumeration(1, csiNodeCapabilities) })) })) }),
  ],
  nodeGetInfo: [empty, message({ nodeId: string(1), maxVolumesPerNode: int64(2), accessibleTopology: embedded(3, topology) })],
});
