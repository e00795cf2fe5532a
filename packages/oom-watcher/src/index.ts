/**
 * Reports OOM kills of the kernel. The pure functions are exported from `@nodeagent/oom-watcher/decisions`,
 * the kernel log of this machine from `@nodeagent/oom-watcher/node`.
 *
 * @packageDocumentation
 */
export { oomWatcherErrorCodes } from './errors.js';
export type { KernelLog } from './kernel-log.js';
export type { Oom } from './next-oom.js';
export { createOomWatcher, type OomWatcher, type OomWatcherOptions } from './oom-watcher.js';
