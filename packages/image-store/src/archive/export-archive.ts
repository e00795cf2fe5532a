import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { ContentDescriptor } from '../image/descriptor.js';
import type { BlobReader } from '../store/blob-store.js';
import { encodeReferences, type ImageReference } from '../store/image-reference.js';
import { type ImageContent, requireImage, type StoredImage, storedImages } from '../store/stored-image.js';
import { createTarWriter } from './tar-stream.js';

/** An image, its names and its content. */
interface ExportedImage {
  image: StoredImage;
  references: readonly ImageReference[];
  blobs: readonly ContentDescriptor[];
}

/** The named images, with what an archive of them has. Throws `UnknownImage`. */
export function exportedImages(
  names: readonly string[],
  references: readonly ImageReference[],
  contents: ReadonlyMap<string, ImageContent>,
): ExportedImage[] {
  const images = storedImages(references, contents);
  return names.map((name) => {
    const image = requireImage(images, name);
    return {
      image,
      references: references.filter(({ target }) => target.digest === image.target.digest),
      blobs: contents.get(image.target.digest)?.blobs ?? [],
    };
  });
}

/** The time of all entries: equal images make equal archives. */
const mtime = new Date(0);
const mode = 0o644;

/** An archive of images that is an OCI image layout, and has the `manifest.json` of `docker load`. */
export async function* exportArchive(images: readonly ExportedImage[], blobs: BlobReader): AsyncGenerator<Uint8Array> {
  const archive = createTarWriter();
  const text = (name: string, content: string) => archive.entry({ name, size: Buffer.byteLength(content), mtime, mode }).end(content);
  const write = async () => {
    text('oci-layout', '{"imageLayoutVersion":"1.0.0"}');
    text('index.json', encodeReferences(images.flatMap(({ references }) => references)));
    text('manifest.json', JSON.stringify(images.map(({ image }) => dockerEntry(image))));
    const unique = new Map(images.flatMap((image) => image.blobs).map((blob) => [blob.digest, blob]));
    // Without them, skopeo gives the folders to root, which an ordinary user may not.
    const algorithms = new Set([...unique.keys()].map((digest) => digest.slice(0, digest.indexOf(':'))));
    for (const name of ['blobs', ...[...algorithms].map((algorithm) => `blobs/${algorithm}`)])
      archive.entry({ name, type: 'directory', size: 0, mtime, mode: 0o755 }).end();
    for (const { digest, size } of unique.values()) {
      await pipeline(createReadStream(blobs.path(digest)), archive.entry({ name: pathOf(digest), size, mtime, mode }));
    }
    archive.finalize();
  };
  const written = write().catch((error) => {
    archive.destroy(error);
    throw error;
  });
  written.catch(() => undefined);
  try {
    yield* archive;
    await written;
  } finally {
    archive.destroy();
  }
}

const pathOf = (digest: string) => `blobs/${digest.replace(':', '/')}`;
const dockerEntry = ({ config, repoTags, layers }: StoredImage) => ({
  Config: pathOf(config.digest),
  RepoTags: repoTags,
  Layers: layers.map(({ digest }) => pathOf(digest)),
});
