import type { CsiAccessMode } from '@nodeagent/plugin-api';

/** The CSI access mode of a Kubernetes access mode; drivers with the capability SINGLE_NODE_MULTI_WRITER get finer modes. */
export function csiAccessMode(accessMode: string, singleNodeMultiWriter: boolean): CsiAccessMode {
  switch (accessMode) {
    case 'ReadWriteOnce':
      return singleNodeMultiWriter ? 'SINGLE_NODE_MULTI_WRITER' : 'SINGLE_NODE_WRITER';
    case 'ReadWriteOncePod':
      return singleNodeMultiWriter ? 'SINGLE_NODE_SINGLE_WRITER' : 'SINGLE_NODE_WRITER';
    case 'ReadOnlyMany':
      return 'MULTI_NODE_READER_ONLY';
    case 'ReadWriteMany':
      return 'MULTI_NODE_MULTI_WRITER';
    default:
      return 'UNKNOWN';
  }
}

export interface CsiFsGroupInput {
  fsGroup: number | undefined;
  /** The driver's `fsGroupPolicy`. */
  policy: string;
  readOnly: boolean;
  fsType: string;
  /** Of the persistent volume; undefined for an ephemeral inline volume. */
  accessModes: readonly string[] | undefined;
}

/** Whether the kubelet applies the pod's `fsGroup`: by the driver's `fsGroupPolicy`, or for a file system with an access mode of one node. */
export function supportsCsiFsGroup({ fsGroup, policy, readOnly, fsType, accessModes }: CsiFsGroupInput): boolean {
  if (fsGroup === undefined || policy === 'None' || readOnly) return false;
  if (policy === 'File') return true;
  if (fsType === '') return false;
  return accessModes === undefined || accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}
