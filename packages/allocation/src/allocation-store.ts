import type { Allocations } from './pod-allocation.js';

/** Stores the allocations of pods across restarts of the agent. */
export interface AllocationStore {
  /** The allocations that were saved last; undefined if there are none. If it rejects, the manager uses the pods' specs. */
  load(): Promise<Allocations | undefined>;
  /** Replaces all stored allocations. Calls never overlap. */
  save(allocations: Allocations): Promise<void>;
}
