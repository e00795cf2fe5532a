import type { CsiAccessMode } from '@nodeagent/plugin-api';

/** The access mode of CSI for one of Kubernetes; drivers that tell single writers apart (SINGLE_NODE_MULTI_WRITER) get finer ones. */
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
  /** Of the persistent volume; undefined for a volume that is in the pod itself. */
  accessModes: readonly string[] | undefined;
}

/** Whether the node gives the volume's files to the pod's group: by the driver's policy, or because one node at a time has the file system. */
export function supportsCsiFsGroup({ fsGroup, policy, readOnly, fsType, accessModes }: CsiFsGroupInput): boolean {
  if (fsGroup === undefined || policy === 'None' || readOnly) return false;
  if (policy === 'File') return true;
  if (fsType === '') return false;
  return accessModes === undefined || accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
}
