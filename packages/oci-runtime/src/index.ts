/**
 * A container runtime on an OCI runtime such as crun or runc, and conmon: the CRI's RuntimeService and ImageService without a daemon. The pure
 * functions are in `@nodeagent/oci-runtime/decisions`.
 *
 * @packageDocumentation
 */
export * from './decisions.js';
export { ociRuntimeErrorCodes } from './errors.js';
export type { OpenImageStore, RuntimeImageStore } from './images/image-store.js';
export { createOciRuntime, type OciRuntime, type OciRuntimeOptions } from './oci-runtime.js';
export { type OciProgramProbe, probeOciProgram } from './probe-oci-program.js';
export type { RuntimeHandlerOptions } from './runtime/runtime-handler.js';
