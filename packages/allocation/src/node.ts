/**
 * Stores the allocations of pods in a file.
 *
 * @packageDocumentation
 */
export { createFileAllocationStore } from './file-allocation-store.js';
