import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';
import type { ImagePlatform } from '../image/platform.js';
import type { BlobReader } from './blob-store.js';
import { decodeReferences, type ImageReference } from './image-reference.js';
import { findImages } from './rebuild.js';
import { type ImageContent, imageContent } from './stored-image.js';

export const indexFile = 'index.json';

/** The complete images of a store. */
interface ReadImages {
  references: ImageReference[];
  /** Content by the digest of the target. */
  contents: Map<string, ImageContent>;
  /** False if the index is lost, or has images that are not complete. */
  isCurrent: boolean;
}

/** Reads the index of a store, or rebuilds it from the content if it is lost, and drops the images that are not complete. */
export async function readImages(root: string, blobs: BlobReader, machine: ImagePlatform): Promise<ReadImages> {
  const indexed = await readIndex(join(root, indexFile));
  const references = indexed ?? (await findImages(blobs, machine));
  const contents = new Map<string, ImageContent>();
  for (const { target } of references) {
    const content = contents.get(target.digest) ?? (await imageContent(target, machine, blobs));
    if (content !== undefined) contents.set(target.digest, content);
  }
  const complete = references.filter(({ target }) => contents.has(target.digest));
  return { references: complete, contents, isCurrent: indexed !== undefined && complete.length === references.length };
}

async function readIndex(path: string): Promise<ImageReference[] | undefined> {
  try {
    return decodeReferences(await readFile(path, 'utf8'));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== imageStoreErrorCodes.invalidManifest) throw error;
    return undefined;
  }
}
