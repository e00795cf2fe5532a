/**
 * Tells when the kernel kills processes because memory is out.
 * The pure functions and parts that it is made of are in `@nodeagent/oom-watcher/decisions`.
 *
 * @packageDocumentation
 */
export { oomWatcherErrorCodes } from './errors.js';
export { createKernelLog, type KernelLog, type KernelLogOptions } from './kernel-log.js';
export type { Oom } from './next-oom.js';
export { createOomWatcher, type OomWatcher, type OomWatcherOptions } from './oom-watcher.js';
