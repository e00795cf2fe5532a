import { join } from 'node:path';
import { exportArchive, exportedImages } from '../archive/export-archive.js';
import type { ImagePlatform } from '../image/platform.js';
import { thisMachine } from '../image/this-machine.js';
import { createLayerStore, type LayerStore, layersFolder } from '../layers/layer-store.js';
import { type BlobReader, createBlobReader } from './blob-store.js';
import { readImages } from './read-images.js';
import { findImage, type StoredImage, storedImages } from './stored-image.js';

/** Options of {@link readImageStore}. */
export interface ImageStoreReaderOptions {
  /** The folder of the store; `openImageStore` creates it. It is an OCI image layout, which other programs may read. */
  root: string;
  /** For what machine images are chosen. Default: this one. */
  machine?: ImagePlatform;
}

/** The images of a store, without changes. All methods may be called at once. */
export interface ImageStoreReader {
  /** The folder of the store. */
  readonly root: string;
  /** All images, each once. */
  list(): StoredImage[];
  /** An image by name, by id, or by the digest of its manifest. */
  get(image: string): StoredImage | undefined;
  /** An archive of images that is an OCI image layout, and which `docker load` reads. Rejects with `UnknownImage`. */
  export(images: readonly string[]): AsyncGenerator<Uint8Array>;
  /** Bytes and files of all content and of all unpacked layers. */
  usage(): Promise<{ usedBytes: number; usedInodes: number }>;
  /** The path of a blob, of which only the store may write. */
  blobPath(digest: string): string;
}

/**
 * Reads the images of a folder, also while another process has the store: takes no lock and writes nothing. `list` and `get` return what the store had
 * at that time; content that the other process removes later is missing. A folder that does not exist has no images.
 */
export async function readImageStore({ root, machine = thisMachine() }: ImageStoreReaderOptions): Promise<ImageStoreReader> {
  const blobs = createBlobReader(root);
  const { references, contents } = await readImages(root, blobs, machine);
  const images = storedImages(references, contents);
  return {
    root,
    list: () => [...images],
    get: (image) => findImage(images, image),
    async *export(names) {
      yield* exportArchive(exportedImages(names, references, contents), blobs);
    },
    usage: () => usageOf(blobs, createLayerStore(join(root, layersFolder))),
    blobPath: blobs.path,
  };
}

/** What blobs and unpacked layers take. */
export async function usageOf(blobs: BlobReader, layers: LayerStore): Promise<{ usedBytes: number; usedInodes: number }> {
  const all = [await blobs.usage(), ...(await layers.list())];
  return {
    usedBytes: all.reduce((sum, { usedBytes }) => sum + usedBytes, 0),
    usedInodes: all.reduce((sum, { usedInodes }) => sum + usedInodes, 0),
  };
}
