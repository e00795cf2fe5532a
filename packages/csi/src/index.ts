/**
 * CSI volumes on a node: the volume plugin, the registration of drivers, and the CSINode that reports them to the cluster.
 *
 * @packageDocumentation
 */
export { type Csi, type CsiOptions, createCsi } from './csi.js';
export type { CallCsiNode, CsiMethod } from './csi-calls.js';
export type { ApplyFsGroup, RequestServiceAccountToken } from './csi-context.js';
export type { CsiNodes } from './csi-node-info.js';
export type { CsiRegistration } from './csi-registration.js';
export { csiErrorCodes } from './errors.js';
export { createMemoryCsiPlugin, type MemoryCsiPluginOptions } from './memory-csi-plugin.js';
