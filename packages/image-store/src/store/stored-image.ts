import { errorCode } from '@nodeagent/api';
import { parseImageName } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import type { ContentDescriptor } from '../image/descriptor.js';
import { chooseManifests, type ImageManifest, maxIndexDepth, parseImageConfig, parseManifest } from '../image/manifest.js';
import type { ImagePlatform } from '../image/platform.js';
import type { BlobStore } from './blob-store.js';
import type { ImageReference } from './image-reference.js';

/** An image of the store. */
export interface StoredImage {
  /** The digest of the configuration, which the CRI calls the image's id. */
  id: string;
  /** `docker.io/library/nginx:1`. */
  repoTags: readonly string[];
  /** `docker.io/library/nginx@sha256:...`. */
  repoDigests: readonly string[];
  /** The manifest or index that the names refer to. */
  target: ContentDescriptor;
  platform: ImagePlatform;
  config: ContentDescriptor;
  /** Lowest first. */
  layers: readonly ContentDescriptor[];
  /** The digests of the uncompressed layers. */
  diffIds: readonly string[];
  /** Bytes of the compressed layers, configuration and manifests; layers that images share count for each. */
  size: number;
  isPinned: boolean;
}

/** The content of an image, all of which is in the store. */
export interface ImageContent {
  manifest: ImageManifest;
  platform: ImagePlatform;
  diffIds: readonly string[];
  /** Index, manifest, configuration and layers. */
  blobs: readonly ContentDescriptor[];
}

/**
 * What a manifest or index refers to for this machine; undefined if content is missing, has another size or is damaged. For an index it is the best image
 * of those that are complete.
 */
export async function imageContent(
  target: ContentDescriptor,
  machine: ImagePlatform,
  blobs: BlobStore,
  depth = 0,
): Promise<ImageContent | undefined> {
  try {
    if (!(await blobs.has(target))) return undefined;
    const parsed = parseManifest(await blobs.read(target), target.mediaType);
    if (parsed.kind === 'manifest') return await manifestContent(target, parsed, blobs);
    if (depth >= maxIndexDepth) return undefined;
    for (const candidate of chooseManifests(parsed, machine)) {
      const content = await imageContent(candidate, machine, blobs, depth + 1);
      if (content !== undefined) return { ...content, blobs: [target, ...content.blobs] };
    }
    return undefined;
  } catch (error) {
    if (unusable.has(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

const { invalidManifest, contentMismatch, platformNotFound, unsupportedMediaType } = imageStoreErrorCodes;
const unusable = new Set<string>([invalidManifest, contentMismatch, platformNotFound, unsupportedMediaType, 'ENOENT']);

async function manifestContent(target: ContentDescriptor, manifest: ImageManifest, blobs: BlobStore): Promise<ImageContent | undefined> {
  const { config, layers } = manifest;
  for (const content of [config, ...layers]) if (!(await blobs.has(content))) return undefined;
  const { platform, diffIds } = parseImageConfig(await blobs.read(config), layers.length);
  return { manifest, platform, diffIds, blobs: [target, config, ...layers] };
}

/** The image of these references, which have one target. */
export function storedImage(references: readonly [ImageReference, ...ImageReference[]], content: ImageContent): StoredImage {
  const { manifest, platform, diffIds, blobs } = content;
  const names = references.flatMap(({ name }) => name ?? []).sort();
  const isTag = (name: string) => parseImageName(name).tag !== '';
  const unique = new Map(blobs.map(({ digest, size }) => [digest, size]));
  return {
    id: manifest.config.digest,
    repoTags: names.filter(isTag),
    repoDigests: names.filter((name) => !isTag(name)),
    target: references[0].target,
    platform,
    config: manifest.config,
    layers: manifest.layers,
    diffIds,
    size: [...unique.values()].reduce((sum, size) => sum + size, 0),
    isPinned: references.some(({ isPinned }) => isPinned),
  };
}
