/**
 * The embedded container runtime: the CRI's RuntimeService and ImageService on plain Linux processes, without a daemon and without root.
 *
 * @packageDocumentation
 */
export { processRuntimeErrorCodes } from './errors.js';
export { hostImageId, isHostImage } from './host-image.js';
export { createProcessRuntime, type ProcessRuntime, type ProcessRuntimeOptions } from './process-runtime.js';
