/**
 * Memory of NUMA nodes for containers: the policies of the kubelet's memory manager, with its state file. The pure functions are exported from
 * `@nodeagent/memory-manager/decisions`.
 *
 * @packageDocumentation
 */
export { memoryManagerErrorCodes } from './errors.js';
export { createMemoryManager, type MemoryExplanation, type MemoryManager } from './memory-manager.js';
export type { MachineMemory, MemoryAssignments, MemoryBlock, MemoryTable, NumaNodeMemory } from './memory-state.js';
export type { MemoryManagerOptions, MemoryManagerPolicy } from './options.js';
export type { MemoryReservation } from './reserved-memory.js';
