/**
 * Pure functions of the OOM watcher: parsing records of the kernel log, and detecting OOM kills in them.
 *
 * @packageDocumentation
 */
export { type KmsgRecord, parseKmsgRecord } from './kmsg-record.js';
export { isSystemOom, nextOom, type OomState, systemOomMessage } from './next-oom.js';
