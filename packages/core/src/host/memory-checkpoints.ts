import { createMemoryPullRecords } from '@nodeagent/image-manager';
import type { Checkpoints } from './node-host.js';

/** Checkpoints in memory. Agents that get the same object share the state, as agents do on the disk of one machine. */
export function createMemoryCheckpoints(): Checkpoints {
  return { allocations: createMemoryState(), actuatedResources: createMemoryState(), pullRecords: createMemoryPullRecords() };
}

function createMemoryState<T>() {
  let saved: string | undefined;
  return {
    load: async () => (saved === undefined ? undefined : (JSON.parse(saved) as T)),
    async save(state: T) {
      saved = JSON.stringify(state);
    },
  };
}
