/**
 * Pulls container images from registries and stores them as an OCI image layout, without a daemon. Needs Node.
 *
 * @packageDocumentation
 */
export { imageStoreErrorCodes } from './errors.js';
export type { ContentDescriptor } from './image/descriptor.js';
export type { ImagePlatform } from './image/platform.js';
export type { RegistryConfigPaths } from './pull/endpoints.js';
export type { BlobProgress } from './pull/pull-image.js';
export type { RegistryCredentials } from './registry/token.js';
export { type ImageStore, type ImageStoreOptions, openImageStore, type PullImageOptions } from './store/image-store.js';
export type { StoredImage } from './store/stored-image.js';
