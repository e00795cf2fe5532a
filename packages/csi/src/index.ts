/**
 * CSI volumes on a node: the volume plugin, the registration of drivers, and the CSINode that reports them to the cluster.
 *
 * @packageDocumentation
 */

export type { CallCsiNode, CsiMethod } from './calls.js';
export type { ApplyFsGroup, RequestServiceAccountToken } from './context.js';
export { type Csi, type CsiOptions, createCsi } from './csi.js';
export { csiErrorCodes } from './errors.js';
export { createMemoryCsiPlugin, type MemoryCsiPluginOptions } from './memory-plugin.js';
export type { CsiNodes } from './node-info.js';
export type { CsiRegistration } from './registration.js';
