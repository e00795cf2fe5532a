/**
 * Reports OOM kills of the kernel. The pure functions are exported from `@nodeagent/oom-watcher/decisions`.
 *
 * @packageDocumentation
 */
export { oomWatcherErrorCodes } from './errors.js';
export { createKernelLog, type KernelLog, type KernelLogOptions } from './kernel-log.js';
export type { Oom } from './next-oom.js';
export { createOomWatcher, type OomWatcher, type OomWatcherOptions } from './oom-watcher.js';
