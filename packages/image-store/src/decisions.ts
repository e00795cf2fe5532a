/**
 * The decisions of an image store: what a manifest may be, which image of an index a machine runs, where an image is pulled from, how a client
 * authenticates, when it retries, and what an entry of a layer does. Pure functions, which run anywhere.
 *
 * @packageDocumentation
 */
export { type ContentDescriptor, parseDescriptor, splitDigest } from './image/descriptor.js';
export {
  chooseManifests,
  type ImageConfig,
  type ImageIndex,
  type ImageManifest,
  imageMediaTypes,
  type LayerCompression,
  layerCompression,
  maxManifestBytes,
  parseImageConfig,
  parseManifest,
} from './image/manifest.js';
export {
  type ImagePlatform,
  normalizePlatform,
  parsePlatform,
  platformOfMachine,
  platformText,
  runnablePlatforms,
} from './image/platform.js';
export { type LayerEntry, layerEntry, layerPath } from './layers/layer-path.js';
export { createLayerTree, type LayerItem, type LayerPlacement, type LayerTree } from './layers/layer-tree.js';
export { hostId, type IdMapping, type IdMappings, idmapOption, requireIdMappings } from './mounts/id-mapping.js';
export { maxFoldersOfOption, maxOverlayFolders, type OverlayMount, overlayOptions, unsuitableForUpper } from './mounts/overlay-options.js';
export { type AuthChallenge, parseChallenges } from './registry/challenge.js';
export { defaultEndpoint, type RegistryEndpoint } from './registry/endpoint.js';
export { hostsFolderNames, hostsTomlEndpoints } from './registry/hosts-toml.js';
export { registriesConfEndpoints } from './registry/registries-conf.js';
export { type FailedRequest, followRedirect, type Redirect, registryRetryDelay } from './registry/retry.js';
export {
  type AccessToken,
  parseTokenResponse,
  type RegistryCredentials,
  type RegistryTokenRequest,
  tokenRequest,
} from './registry/token.js';
