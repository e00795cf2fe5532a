import { readFile, rename } from 'node:fs/promises';
import { errorMessage, NodeAgentError, replaceFile } from '@nodeagent/api';
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
 * The allocations in a file that only its owner can read; a new one takes the place of the old one at once. The kubelet's is
 * `allocated_pods_state` in its root folder. A damaged file is set aside as `<path>.broken`, and `load` rejects with
 * `InvalidAllocationCheckpoint`.
 */
export function createFileAllocationStore(path: string): AllocationStore {
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
      try {
        return decodeCheckpoint(text);
      } catch (cause) {
        const setAside = `${path}.broken`;
        await rename(path, setAside);
        throw new NodeAgentError(allocationErrorCodes.invalidCheckpoint, `${path}: ${errorMessage(cause)}; set aside as ${setAside}`, {
          cause,
          details: { path, setAside },
        });
      }
    },
    save: (allocations) => replaceFile(path, encodeCheckpoint(allocations)),
  };
}
