import { createCheckpointFile } from '@nodeagent/api';
import { type Allocations, decodeCheckpoint, encodeCheckpoint } from './checkpoint.js';
import { allocationErrorCodes } from './errors.js';

/** Remembers over restarts of the agent what pods were granted. */
export interface AllocationStore {
  /** What was saved last; undefined if nothing was. Rejects if it cannot be read: the node then goes by the pods' specs. */
  load(): Promise<Allocations | undefined>;
  /** Replaces it as a whole. Called one at a time. */
  save(allocations: Allocations): Promise<void>;
}

/**
 * The allocations in a checkpoint file; the kubelet's is `allocated_pods_state` in its root folder. A damaged file is set aside as
 * `<path>.broken`, and `load` rejects with `InvalidAllocationCheckpoint`.
 */
export function createFileAllocationStore(path: string): AllocationStore {
  return createCheckpointFile({
    path,
    encode: encodeCheckpoint,
    decode: decodeCheckpoint,
    damagedCode: allocationErrorCodes.invalidCheckpoint,
  });
}
