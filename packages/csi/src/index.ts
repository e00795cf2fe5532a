/**
 * CSI volumes of a node in memory, and the types of real ones. `@nodeagent/csi/node` mounts volumes through drivers, and
 * `@nodeagent/csi/decisions` has the pure functions.
 *
 * @packageDocumentation
 */

export type { CallCsiNode, CsiMethod } from './calls.js';
export type { ApplyFsGroup, RequestServiceAccountToken } from './context.js';
export type { Csi, CsiOptions } from './csi.js';
export { csiErrorCodes } from './errors.js';
export { createMemoryCsiPlugin, type MemoryCsiPluginOptions } from './memory-plugin.js';
export type { CsiNodes } from './node-info.js';
export type { CsiRegistration } from './registration.js';
