import { NodeAgentError } from '@nodeagent/api';
import { isObject, quoteText } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import { type ContentDescriptor, invalidManifest, parseDescriptor, splitDigest } from './descriptor.js';
import { type ImagePlatform, platformRank, platformText, runnablePlatforms } from './platform.js';

/** The media types of images: OCI image specification, "Media Types", and Docker's "Image Manifest Version 2, Schema 2". */
export const imageMediaTypes = {
  ociIndex: 'application/vnd.oci.image.index.v1+json',
  ociManifest: 'application/vnd.oci.image.manifest.v1+json',
  ociConfig: 'application/vnd.oci.image.config.v1+json',
  dockerIndex: 'application/vnd.docker.distribution.manifest.list.v2+json',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
  dockerConfig: 'application/vnd.docker.container.image.v1+json',
} as const;

const { ociIndex, ociManifest, dockerIndex, dockerManifest, ociConfig, dockerConfig } = imageMediaTypes;

/** What a client asks a registry for, as the header Accept. */
export const manifestAccept = [dockerManifest, dockerIndex, ociManifest, ociIndex].join(', ');

/** The largest manifest, index or image configuration, in bytes. containerd has the same limit. */
export const maxManifestBytes = 8 * 1024 * 1024;
/** How deep indexes may be nested. */
export const maxIndexDepth = 4;
/** The largest number of layers of an image. overlayfs mounts at most 500. */
const maxLayers = 500;
const maxIndexEntries = 10_000;

/** How a layer is compressed. */
export type LayerCompression = 'none' | 'gzip' | 'zstd';

/** A manifest of one image. */
export interface ImageManifest {
  kind: 'manifest';
  mediaType: string;
  config: ContentDescriptor;
  layers: readonly ContentDescriptor[];
}

/** An index of images, such as one for each platform. */
export interface ImageIndex {
  kind: 'index';
  mediaType: string;
  manifests: readonly ContentDescriptor[];
}

/** The text as JSON. Throws `InvalidManifest` for another text. */
export function parseJsonContent(text: string): Record<string, unknown> {
  if (text.length > maxManifestBytes) throw invalidManifest('content', `must be at most ${maxManifestBytes} bytes`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NodeAgentError(imageStoreErrorCodes.invalidManifest, `invalid manifest: it is not JSON: ${quoteText(text.slice(0, 40))}`, {
      cause,
    });
  }
  if (!isObject(value)) throw invalidManifest('content', 'must be an object');
  return value;
}

/**
 * Parses a manifest or an index, and checks every descriptor in it. Throws `InvalidManifest`, and `UnsupportedMediaType` for what is not an image.
 * @param given - the media type by which the content was found: the Content-Type of the answer, or that of its descriptor
 */
export function parseManifest(text: string, given?: string): ImageManifest | ImageIndex {
  const value = parseJsonContent(text);
  if (value.schemaVersion !== 2) {
    throw invalidManifest('schemaVersion', value.schemaVersion === 1 ? 'is 1, which registries no longer serve' : 'must be 2');
  }
  const mediaType = mediaTypeOf(value, given);
  const isIndex = mediaType === ociIndex || mediaType === dockerIndex;
  // What one reader takes for an index and another for an image could be two images: CVE-2021-41190.
  if (value.manifests !== undefined && (value.layers !== undefined || value.config !== undefined)) {
    throw invalidManifest('manifests', 'must not be beside layers or config');
  }
  if (isIndex) return { kind: 'index', mediaType, manifests: descriptorsOf(value.manifests, 'manifests', maxIndexEntries) };
  const config = parseDescriptor(value.config, 'config');
  if (config.mediaType !== ociConfig && config.mediaType !== dockerConfig) throw unsupported(config.mediaType, 'config');
  if (config.size > maxManifestBytes) throw invalidManifest('config.size', `must be at most ${maxManifestBytes}`);
  const layers = descriptorsOf(value.layers, 'layers', maxLayers);
  for (const { mediaType } of layers) layerCompression(mediaType);
  return { kind: 'manifest', mediaType, config, layers };
}

/** The media type that the content names, else the given one, else that of its fields. */
function mediaTypeOf(value: Record<string, unknown>, given: string | undefined): string {
  const named = typeof value.mediaType === 'string' && value.mediaType !== '' ? value.mediaType : undefined;
  const known = given !== undefined && isManifestType(given) ? given : undefined;
  if (named !== undefined && known !== undefined && named !== known) {
    throw invalidManifest('mediaType', `is ${quoteText(named)}, but the registry sent it as ${quoteText(known)}`);
  }
  const mediaType = named ?? known ?? (value.manifests === undefined ? ociManifest : ociIndex);
  if (!isManifestType(mediaType)) throw unsupported(mediaType, 'manifest');
  return mediaType;
}

/** Whether the media type is that of a manifest or an index. */
export const isManifestType = (mediaType: string): boolean =>
  [ociManifest, dockerManifest, ociIndex, dockerIndex].includes(mediaType as never);

function descriptorsOf(value: unknown, field: string, max: number): ContentDescriptor[] {
  if (!Array.isArray(value)) throw invalidManifest(field, 'must be a list');
  if (value.length > max) throw invalidManifest(field, `must have at most ${max} entries`);
  return value.map((entry, index) => parseDescriptor(entry, `${field}[${index}]`));
}

function unsupported(mediaType: string, what: string): NodeAgentError {
  return new NodeAgentError(
    imageStoreErrorCodes.unsupportedMediaType,
    `the media type ${quoteText(mediaType)} of the ${what} is not one of an image`,
    {
      details: { mediaType },
    },
  );
}

const layerType =
  /^application\/vnd\.(?:oci\.image\.layer\.(?:nondistributable\.)?v1\.tar(?:\+(gzip|zstd))?|docker\.image\.rootfs\.(?:foreign\.)?diff\.tar(?:\.(gzip|zstd))?)$/;

/** The compression that a layer's media type names. Throws `UnsupportedMediaType` for another type. */
export function layerCompression(mediaType: string): LayerCompression {
  const [match, oci, docker] = layerType.exec(mediaType) ?? [];
  if (match === undefined) throw unsupported(mediaType, 'layer');
  return ((oci ?? docker) as LayerCompression | undefined) ?? 'none';
}

/**
 * The entries of an index that run on a machine, the best first, as containerd chooses them; those without a platform are last. Throws
 * `PlatformNotFound` if there is none.
 */
export function chooseManifests({ manifests }: Pick<ImageIndex, 'manifests'>, machine: ImagePlatform): ContentDescriptor[] {
  const runnable = runnablePlatforms(machine);
  const ranked = manifests
    .filter(({ mediaType }) => isManifestType(mediaType))
    .map((descriptor) => ({ descriptor, rank: descriptor.platform ? platformRank(descriptor.platform, runnable) : runnable.length }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => a.rank - b.rank);
  if (ranked.length > 0) return ranked.map(({ descriptor }) => descriptor);
  const platforms = manifests.flatMap(({ platform }) => (platform ? [platformText(platform)] : []));
  throw new NodeAgentError(
    imageStoreErrorCodes.platformNotFound,
    `no match for platform in manifest: the image has no variant for ${platformText(machine)}`,
    { details: { platforms }, hint: `It has ${[...new Set(platforms)].slice(0, 20).join(', ') || 'no platforms'}.` },
  );
}

/** An image configuration, as much as a store needs of it. */
export interface ImageConfig {
  platform: ImagePlatform;
  /** The digests of the uncompressed layers, lowest first. */
  diffIds: readonly string[];
}

/** Parses an image configuration and checks it against its manifest. Throws `InvalidManifest`. OCI image specification, "Image Configuration". */
export function parseImageConfig(text: string, layers: number): ImageConfig {
  const { os, architecture, variant, rootfs } = parseJsonContent(text);
  const diffIds = isObject(rootfs) && Array.isArray(rootfs.diff_ids) ? rootfs.diff_ids : [];
  const isDigest = (id: unknown): id is string => typeof id === 'string' && splitDigest(id) !== undefined;
  if (!diffIds.every(isDigest)) throw invalidManifest('rootfs.diff_ids', 'must be digests');
  if (diffIds.length !== layers) throw invalidManifest('rootfs.diff_ids', `must be as many as the ${layers} layers, not ${diffIds.length}`);
  const platform = {
    os: textOr(os, 'linux'),
    architecture: textOr(architecture, ''),
    ...(typeof variant === 'string' && variant !== '' && { variant }),
  };
  return { platform, diffIds };
}

const textOr = (value: unknown, fallback: string) => (typeof value === 'string' ? value : fallback);
