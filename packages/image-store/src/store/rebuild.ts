import { readFile, stat } from 'node:fs/promises';
import type { ContentDescriptor } from '../image/descriptor.js';
import { maxManifestBytes, parseManifest } from '../image/manifest.js';
import type { ImagePlatform } from '../image/platform.js';
import type { BlobReader } from './blob-store.js';
import type { ImageReference } from './image-reference.js';
import { imageContent } from './stored-image.js';

/**
 * References to the complete images among the blobs, for a store whose index is lost. Their names are lost with it: a pull of the same image gives it
 * its name again, and downloads its manifest only.
 */
export async function findImages(blobs: BlobReader, machine: ImagePlatform): Promise<ImageReference[]> {
  const found: { target: ContentDescriptor; parts: readonly string[] }[] = [];
  for (const digest of await blobs.list()) {
    const target = await manifestAt(blobs.path(digest), digest);
    const content = target && (await imageContent(target, machine, blobs));
    if (target && content) found.push({ target, parts: content.blobs.slice(1).map((part) => part.digest) });
  }
  const inIndexes = new Set(found.flatMap(({ parts }) => parts));
  return found.filter(({ target }) => !inIndexes.has(target.digest)).map(({ target }) => ({ target, isPinned: false }));
}

/** Undefined if the blob is neither a manifest nor an index. */
async function manifestAt(path: string, digest: string): Promise<ContentDescriptor | undefined> {
  const found = await stat(path);
  const { size } = found;
  if (!found.isFile() || size > maxManifestBytes) return undefined;
  const text = await readFile(path, 'utf8');
  if (!text.startsWith('{')) return undefined;
  try {
    return { mediaType: parseManifest(text).mediaType, digest, size };
  } catch {
    return undefined;
  }
}
