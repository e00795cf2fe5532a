/**
 * Pulls container images from registries and stores them as an OCI image layout, and imports and exports archives, without a daemon. Needs Node.
 *
 * @packageDocumentation
 */
export { imageStoreErrorCodes } from './errors.js';
export type { ContentDescriptor } from './image/descriptor.js';
export type { ImagePlatform } from './image/platform.js';
export type { LayerLimits } from './layers/rewrite-layer.js';
export type { RegistryConfigPaths } from './pull/endpoints.js';
export type { BlobProgress } from './pull/pull-image.js';
export type { RegistryCredentials } from './registry/token.js';
export { type ImageStoreOptions, type OciImageStore, openImageStore, type PullImageOptions } from './store/image-store.js';
export { type ImageStoreReader, type ImageStoreReaderOptions, readImageStore } from './store/read-image-store.js';
export type { StoredImage } from './store/stored-image.js';
