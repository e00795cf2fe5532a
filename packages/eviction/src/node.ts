/**
 * Watches the cgroups of this machine, so that evictions need not wait for the next evaluation.
 *
 * @packageDocumentation
 */
export { type CgroupMemoryEventsOptions, createCgroupMemoryEvents } from './cgroup-memory-events.js';
