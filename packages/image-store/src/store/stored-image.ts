import { errorCode, NodeAgentError } from '@nodeagent/api';
import { parseImageName, quoteText } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import type { ContentDescriptor } from '../image/descriptor.js';
import { chooseManifests, type ImageManifest, maxIndexDepth, parseImageConfig, parseManifest } from '../image/manifest.js';
import type { ImagePlatform } from '../image/platform.js';
import type { BlobReader } from './blob-store.js';
import { type ImageReference, normalName } from './image-reference.js';

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
  blobs: BlobReader,
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

async function manifestContent(target: ContentDescriptor, manifest: ImageManifest, blobs: BlobReader): Promise<ImageContent | undefined> {
  const { config, layers } = manifest;
  for (const content of [config, ...layers]) if (!(await blobs.has(content))) return undefined;
  const { platform, diffIds } = parseImageConfig(await blobs.read(config), layers.length);
  return { manifest, platform, diffIds, blobs: [target, config, ...layers] };
}

/** The images that these references name, each once. */
export function storedImages(references: readonly ImageReference[], contents: ReadonlyMap<string, ImageContent>): StoredImage[] {
  const byTarget = new Map<string, ImageReference[]>();
  for (const reference of references) {
    const { digest } = reference.target;
    const named = byTarget.get(digest);
    if (named === undefined) byTarget.set(digest, [reference]);
    else named.push(reference);
  }
  return [...byTarget.values()].flatMap((references) => {
    const [first, ...others] = references;
    const content = first && contents.get(first.target.digest);
    return first && content ? [storedImage([first, ...others], content)] : [];
  });
}

/** The image of this name, id or digest of a manifest. */
export function findImage(images: readonly StoredImage[], image: string): StoredImage | undefined {
  const name = normalName(image);
  const id = /^[a-f0-9]{64}$/.test(image) ? `sha256:${image}` : image;
  return images.find(
    ({ id: own, target, repoTags, repoDigests }) =>
      own === id || target.digest === id || (name !== undefined && (repoTags.includes(name) || repoDigests.includes(name))),
  );
}

/** As {@link findImage}. Throws `UnknownImage`. */
export function requireImage(images: readonly StoredImage[], image: string): StoredImage {
  const found = findImage(images, image);
  if (found !== undefined) return found;
  throw new NodeAgentError(imageStoreErrorCodes.unknownImage, `no image ${quoteText(image)} in the store`, { details: { image } });
}

/** The image of these references, which have one target. */
function storedImage(references: readonly [ImageReference, ...ImageReference[]], content: ImageContent): StoredImage {
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
