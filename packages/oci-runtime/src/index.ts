/**
 * Containers and pods on an OCI runtime such as crun or runc, without a daemon. The pure functions are in `@nodeagent/oci-runtime/decisions`.
 *
 * @packageDocumentation
 */
export * from './decisions.js';
export { ociRuntimeErrorCodes } from './errors.js';
