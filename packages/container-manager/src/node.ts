/**
 * The kernel settings of this machine.
 *
 * @packageDocumentation
 */
export { machineKernelSettings } from './machine-kernel-settings.js';
