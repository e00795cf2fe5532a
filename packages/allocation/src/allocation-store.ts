import { createCheckpointFile, decodeResourcesCheckpoint, encodeResourcesCheckpoint } from '@nodeagent/api/files';
import { allocationErrorCodes } from './errors.js';
import type { Allocations } from './pod-allocation.js';

/** Stores the allocations of pods across restarts of the agent. */
export interface AllocationStore {
  /** The allocations that were saved last; undefined if there are none. If it rejects, the manager uses the pods' specs. */
  load(): Promise<Allocations | undefined>;
  /** Replaces all stored allocations. Calls never overlap. */
  save(allocations: Allocations): Promise<void>;
}

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
