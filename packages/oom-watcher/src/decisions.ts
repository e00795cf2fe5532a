/**
 * The decisions of an OOM watcher: what a record of the kernel log says, and which records are an OOM kill.
 *
 * @packageDocumentation
 */
export { type KmsgRecord, parseKmsgRecord } from './kmsg-record.js';
export { isSystemOom, nextOom, type OomState, systemOomMessage } from './next-oom.js';
