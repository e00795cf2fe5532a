import { createCheckpointFile, decodeResourcesCheckpoint, encodeResourcesCheckpoint } from '@nodeagent/api/files';
import type { AllocationStore } from './allocation-store.js';
import { allocationErrorCodes } from './errors.js';

/**
 * Stores the allocations in a checkpoint file; the kubelet's is `allocated_pods_state` in its root directory. `load` renames a corrupt file
 * to `<path>.broken` and rejects with `InvalidAllocationCheckpoint`.
 */
export function createFileAllocationStore(path: string): AllocationStore {
  return createCheckpointFile({
    path,
    encode: encodeResourcesCheckpoint,
    decode: decodeResourcesCheckpoint,
    damagedCode: allocationErrorCodes.invalidCheckpoint,
  });
}
