/**
 * Pulls container images from registries, stores them as an OCI image layout and unpacks their layers, without a daemon. Needs Node.
 *
 * @packageDocumentation
 */
export { imageStoreErrorCodes } from './errors.js';
