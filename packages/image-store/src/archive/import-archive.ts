import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { errorCode, errorMessage } from '@nodeagent/api';
import { type ContentDescriptor, splitDigest } from '../image/descriptor.js';
import { imageMediaTypes, maxManifestBytes } from '../image/manifest.js';
import { layerPath } from '../layers/layer-path.js';
import type { BlobStore } from '../store/blob-store.js';
import { decodeReferences } from '../store/image-reference.js';
import { type ArchivedFile, dockerArchiveImages, dockerManifestText, invalidArchive, linkTarget } from './docker-archive.js';
import { createTarReader } from './tar-stream.js';

/** What an archive brought into the store. */
export interface ImportedArchive {
  /** Names with what they refer to; an image without a name is there once without. */
  references: { name?: string; target: ContentDescriptor }[];
  /** The digests of all its files. */
  digests: string[];
}

const maxFiles = 100_000;
/** All names of a store are in one file, which is read whole. */
const maxNames = 1000;
/** Files of old archives that repeat what others have. */
const ignored = /(^|\/)(json|VERSION|repositories|oci-layout)$/;

/**
 * Adds the files of an archive to the blobs: an OCI image layout, or what `docker save` writes, also compressed with gzip. Rejects with `InvalidImageArchive`.
 * Memory does not grow with the archive.
 */
export async function importArchive(chunks: AsyncIterable<Uint8Array>, blobs: BlobStore): Promise<ImportedArchive> {
  const files = new Map<string, ArchivedFile>();
  const texts = new Map<string, string>();
  const links = new Map<string, string>();
  const reader = createTarReader();
  const read = async () => {
    let count = 0;
    for await (const entry of reader) {
      const { name, type, linkname } = entry.header;
      const path = layerPath(name);
      if (++count > maxFiles) throw invalidArchive(`it has more than ${maxFiles} files`);
      if (type === 'symlink' && linkname !== null) links.set(path, linkTarget(path, linkname) ?? '');
      const isFile = type === 'file' || type === 'contiguous-file';
      if (!isFile || ignored.test(path)) entry.resume();
      else if (path === 'index.json' || path === 'manifest.json') texts.set(path, await textOf(entry, path));
      else files.set(path, await addFile(entry, path, blobs));
    }
  };
  const parts = [pipeline(await decompressed(chunks), reader), read()];
  try {
    await Promise.all(parts);
  } catch (error) {
    throw unreadable(error);
  } finally {
    // The reader still removes its unfinished file when the archive's chunks have failed.
    await Promise.allSettled(parts);
  }
  const [index, manifest] = [texts.get('index.json'), texts.get('manifest.json')];
  const digests = [...files.values()].map(({ digest }) => digest);
  if (index !== undefined) return { references: limited(decodeReferences(index)), digests };
  if (manifest === undefined) throw invalidArchive('it has neither index.json nor manifest.json');
  const fileAt = (path: string) => files.get(links.get(path) ?? path) ?? files.get(path);
  const references: ImportedArchive['references'] = [];
  for (const image of dockerArchiveImages(manifest, fileAt)) {
    const bytes = Buffer.from(dockerManifestText(image));
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const target = { mediaType: imageMediaTypes.dockerManifest, digest, size: bytes.length };
    await blobs.add(target, bytes);
    digests.push(digest);
    references.push(...(image.names.length === 0 ? [{ target }] : image.names.map((name) => ({ name, target }))));
  }
  return { references: limited(references), digests };
}

function limited<T>(references: T[]): T[] {
  if (references.length > maxNames) throw invalidArchive(`it has more than ${maxNames} names`);
  return references;
}

/** What the readers of gzip and tar report, as an error about the archive. */
function unreadable(error: unknown): unknown {
  const code = errorCode(error);
  if (code?.startsWith('Z_')) return invalidArchive(`its compression is damaged: ${errorMessage(error)}`, error);
  const isOfTar = code === undefined && /tar|header|end of data/i.test(errorMessage(error));
  return isOfTar ? invalidArchive('it is not a tar archive', error) : error;
}

/** The archive itself, if it is compressed with gzip. */
async function decompressed(chunks: AsyncIterable<Uint8Array>): Promise<NodeJS.ReadableStream> {
  const iterator = chunks[Symbol.asyncIterator]();
  const { value: first } = await iterator.next();
  const all = async function* () {
    if (first !== undefined) yield first;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  const source = Readable.from(all());
  if (!(first?.[0] === 0x1f && first[1] === 0x8b)) return source;
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

async function textOf(entry: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of entry) {
    length += chunk.length;
    if (length > maxManifestBytes) throw invalidArchive(`${path} is larger than ${maxManifestBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function addFile(entry: AsyncIterable<Uint8Array>, path: string, blobs: BlobStore): Promise<ArchivedFile> {
  const [, algorithm, hex] = /^blobs\/([a-z0-9]+)\/([a-f0-9]+)$/.exec(path) ?? [];
  const named = `${algorithm}:${hex}`;
  // The store may have the content already, of another image: it must not be removed after it was added.
  return blobs.addStream(entry, splitDigest(named)?.algorithm, (digest) => {
    if (hex !== undefined && digest !== named) throw invalidArchive(`${path} has the digest ${digest}`);
  });
}
