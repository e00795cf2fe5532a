/**
 * Tells when the kernel kills processes because memory is out.
 *
 * @packageDocumentation
 */
export { oomWatcherErrorCodes } from './errors.js';
export { createKernelLog, type KernelLog, type KernelLogOptions } from './kernel-log.js';
export { type KmsgRecord, parseKmsgRecord } from './kmsg-record.js';
export { isSystemOom, nextOom, type Oom, type OomState, systemOomMessage } from './next-oom.js';
export { createOomWatcher, type OomWatcher, type OomWatcherOptions } from './oom-watcher.js';
