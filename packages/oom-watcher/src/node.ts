/**
 * The kernel log of this machine.
 *
 * @packageDocumentation
 */
export { createKernelLog, type KernelLogOptions } from './node-kernel-log.js';
