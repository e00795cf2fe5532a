/**
 * Pure functions of the static memory policy: the state of a machine, hints, allocation and release, and the state file.
 *
 * @packageDocumentation
 */
export { allocateMemory, releaseMemory } from './allocate-memory.js';
export { decodeMemoryCheckpoint, encodeMemoryCheckpoint, type MemoryCheckpoint } from './checkpoint.js';
export { initialMachineMemory, type SystemReservedMemory } from './machine-memory.js';
export { memoryHints, podMemoryHints } from './memory-hints.js';
export {
  blocksOf,
  type MachineMemory,
  type MemoryAssignments,
  type MemoryBlock,
  type MemoryState,
  type ReusableMemory,
} from './memory-state.js';
export { systemReservedMemory } from './reserved-memory.js';
export { validateState } from './validate-state.js';
