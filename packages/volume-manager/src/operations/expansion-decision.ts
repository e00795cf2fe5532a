import type { PersistentVolumeClaim } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** Whether the node expands a volume now, and whether it reports that in the claim's status. */
export type ExpansionDecision = { expand: false } | { expand: true; newSize: Quantity; oldSize: Quantity; reports: boolean };

const noNodeExpansion = 'volume.kubernetes.io/node-expansion-not-required';

/**
 * Whether the node must expand a volume now: the claim's status requests it, or another node has expanded a volume that several nodes
 * share. `reports` is whether the node then writes the claim's status. KEP-1790, "Recover from volume expansion failure".
 */
export function decideExpansion(claim: PersistentVolumeClaim, capacity: Quantity): ExpansionDecision {
  const { status, spec, metadata } = claim;
  const oldSize = Quantity.parse(status?.capacity?.storage ?? '0');
  const resizeStatus = status?.allocatedResourceStatuses?.storage ?? '';
  const allocated = status?.allocatedResources?.storage;
  const isRecoverable = resizeStatus !== '' || allocated !== undefined;
  const newSize = isRecoverable && allocated !== undefined ? Quantity.parse(allocated) : capacity;
  if (!isRecoverable) return oldSize.cmp(newSize) < 0 ? { expand: true, newSize, oldSize, reports: true } : { expand: false };

  if (oldSize.cmp(newSize) >= 0 && resizeStatus === '') {
    const isShared = spec?.accessModes?.includes('ReadWriteMany') ?? false;
    const isNeeded = isShared && metadata?.annotations?.[noNodeExpansion] === undefined;
    return isNeeded ? { expand: true, newSize, oldSize, reports: false } : { expand: false };
  }
  const isOurTurn = resizeStatus === 'NodeResizePending' || resizeStatus === 'NodeResizeInProgress';
  return isOurTurn ? { expand: true, newSize, oldSize, reports: true } : { expand: false };
}
