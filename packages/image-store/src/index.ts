/**
 * Pulls container images from registries, stores them as an OCI image layout, unpacks and mounts them, and imports and exports archives, without a daemon. Needs
 * Node.
 *
 * @packageDocumentation
 */
export { imageStoreErrorCodes } from './errors.js';
export type { ContentDescriptor } from './image/descriptor.js';
export type { ImagePlatform } from './image/platform.js';
export type { LayerLimits } from './layers/rewrite-layer.js';
export type { IdMapping, IdMappings } from './mounts/id-mapping.js';
export type { ImageMount, MountedImages, MountOptions, UnmountOptions } from './mounts/image-mounts.js';
export type { RegistryConfigPaths } from './pull/endpoints.js';
export type { BlobProgress } from './pull/pull-image.js';
export type { RegistryCredentials } from './registry/token.js';
export { openImageStore } from './store/image-store.js';
export type { ImageStoreOptions, OciImageStore, PullImageOptions } from './store/oci-image-store.js';
export { type ImageStoreReader, type ImageStoreReaderOptions, readImageStore } from './store/read-image-store.js';
export type { StoredImage } from './store/stored-image.js';
