import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, NodeAgentError, onAbort, type Random, systemClock, systemRandom, withController } from '@nodeagent/api';
import { lockExclusively, replaceFile } from '@nodeagent/api/files';
import { type ImageName, lockHolderText, parseImageName } from '@nodeagent/api/helpers';
import { exportArchive, exportedImages } from '../archive/export-archive.js';
import { importArchive } from '../archive/import-archive.js';
import { imageStoreErrorCodes } from '../errors.js';
import type { ContentDescriptor } from '../image/descriptor.js';
import type { ImagePlatform } from '../image/platform.js';
import { thisMachine } from '../image/this-machine.js';
import { chainIdsOf, createLayerStore, type LayerStore, layersFolder } from '../layers/layer-store.js';
import { defaultLayerLimits, type LayerLimits } from '../layers/rewrite-layer.js';
import { configuredEndpoints, type RegistryConfigPaths } from '../pull/endpoints.js';
import { createKeyedTurns } from '../pull/limited.js';
import { type BlobProgress, type PulledContent, type PullJob, pullImage } from '../pull/pull-image.js';
import type { RegistryCredentials } from '../registry/token.js';
import { type BlobStore, createBlobStore } from './blob-store.js';
import { encodeReferences, type ImageReference, normalName, withReference } from './image-reference.js';
import { type ImageStoreReader, type ImageStoreReaderOptions, usageOf } from './read-image-store.js';
import { indexFile, readImages } from './read-images.js';
import { createSerial } from './serial.js';
import { findImage, type ImageContent, imageContent, requireImage, type StoredImage, storedImages } from './stored-image.js';
import { unpackImage } from './unpack-image.js';

/** Options of {@link openImageStore}. */
export interface ImageStoreOptions extends ImageStoreReaderOptions {
  /** Where mirrors and certificates of registries are configured. Default: nowhere. */
  registries?: RegistryConfigPaths;
  /** Layers that one pull downloads at once. Default 3. */
  maxDownloads?: number;
  /** What one layer may unpack to. Default: 64 GiB, 2,000,000 files, paths of 128 folders. */
  layerLimits?: Partial<LayerLimits>;
  /** Default: the system's. */
  clock?: Clock;
  /** Default: the system's. */
  random?: Random;
}

/** Options of one pull. */
export interface PullImageOptions {
  credentials?: RegistryCredentials;
  /**
   * Takes the image of an index for this machine instead of that of the store. The names then refer to this image alone, not to the index. Default: that of
   * the store.
   */
  platform?: ImagePlatform;
  /** Called for each layer when its download starts, with each chunk, and when it is complete. Must not throw. */
  onProgress?: (progress: BlobProgress) => void;
  /** Whether to unpack the layers, each while others download: as {@link OciImageStore.unpack}. Default false. */
  unpack?: boolean;
  /** Ends the pull at once. What was downloaded stays for the next pull of the image, until garbage is collected. */
  signal?: AbortSignal;
}

/** Images on a disk. All methods may be called at once. */
export interface OciImageStore extends ImageStoreReader {
  /**
   * Downloads an image, but for the content that the store has, and gives it its names. Rejects with a code of `imageStoreErrorCodes`; the names then refer to
   * what they referred to before.
   * @param image - a reference such as `nginx`, `ghcr.io/team/app:1` or `app@sha256:...`
   */
  pull(image: string, options?: PullImageOptions): Promise<StoredImage>;
  /**
   * Unpacks the layers of an image that are not yet, and resolves to the folders of all, top first, as overlayfs takes them. They stay until the image is removed. Needs root
   * and GNU tar, else rejects with `RequiresRoot` or `TarUnavailable`; rejects with `UnknownImage`, and with `UnsafeLayer` for a layer that has names outside of it
   * or exceeds the limits.
   */
  unpack(image: string, options?: { signal?: AbortSignal }): Promise<string[]>;
  /** Gives an image of the store another name. Rejects with `UnknownImage`. */
  tag(image: string, name: string): Promise<void>;
  /** Sets whether the image is pinned: the kubelet's garbage collection keeps such images. Rejects with `UnknownImage`. */
  pin(image: string, isPinned: boolean): Promise<void>;
  /**
   * Removes a name; with its last tag, or by an id, the image; then the content that no image needs. Does nothing if the store does not have it.
   */
  remove(image: string): Promise<void>;
  /**
   * Adds the images of an archive: of an OCI image layout, or of `docker save`, also compressed with gzip. Rejects with `InvalidImageArchive`, and then adds
   * none. Changes of the store by others wait meanwhile.
   */
  import(archive: AsyncIterable<Uint8Array>): Promise<StoredImage[]>;
  /** Removes content and unpacked layers that no image and no running pull needs, such as that of pulls that were killed. Resolves with the number of bytes. */
  collectGarbage(): Promise<number>;
  /** Waits until the index is written, and lets another process open the store. Running pulls fail. */
  close(): Promise<void>;
}

const layoutText = '{"imageLayoutVersion":"1.0.0"}';

/**
 * Opens the store of a folder, for this process alone: rejects with `ImageStoreLocked` if another process has it. Images whose content is missing or damaged are
 * dropped; an index that is lost is rebuilt from the content.
 */
export async function openImageStore(options: ImageStoreOptions): Promise<OciImageStore> {
  const { root, machine = thisMachine() } = options;
  await mkdir(root, { recursive: true, mode: 0o711 });
  const unlock = await lockExclusively(root, 'lock', (holder) => locked(root, lockHolderText(holder)));
  try {
    const blobs = createBlobStore(root);
    await replaceUnlessEqual(join(root, 'oci-layout'), layoutText);
    const { references, contents, isCurrent } = await readImages(root, blobs, machine);
    const layers = createLayerStore(join(root, layersFolder), { ...defaultLayerLimits, ...options.layerLimits });
    await layers.removeUnfinished();
    const store = new Store({ ...options, machine }, { blobs, layers }, references, contents, unlock);
    if (!isCurrent) await store.save();
    return store;
  } catch (error) {
    unlock();
    throw error;
  }
}

const locked = (root: string, holder: string) =>
  new NodeAgentError(imageStoreErrorCodes.storeLocked, `the image store ${root} is in use by ${holder}`, {
    hint: 'Stop that process, or use another folder.',
  });

async function replaceUnlessEqual(path: string, text: string): Promise<void> {
  const found = await readFile(path, 'utf8').catch(() => undefined);
  if (found !== text) await replaceFile(path, text, 0o711);
}

class Store implements OciImageStore {
  readonly #options: ImageStoreOptions & { machine: ImagePlatform };
  readonly #blobs: BlobStore;
  readonly #layers: LayerStore;
  /** Content by the digest of the target. */
  readonly #contents: Map<string, ImageContent>;
  readonly #unlock: () => void;
  readonly #closing = new AbortController();
  /** Changes of the index, and removals, exclude each other. */
  readonly #serial = createSerial();
  readonly #inTurn = createKeyedTurns();
  readonly #running = new Set<Promise<unknown>>();
  /** What running pulls need. */
  readonly #kept = new Set<Set<string>>();
  #references: readonly ImageReference[];

  constructor(
    options: ImageStoreOptions & { machine: ImagePlatform },
    { blobs, layers }: { blobs: BlobStore; layers: LayerStore },
    references: readonly ImageReference[],
    contents: Map<string, ImageContent>,
    unlock: () => void,
  ) {
    this.#options = options;
    this.#blobs = blobs;
    this.#layers = layers;
    this.#references = references;
    this.#contents = contents;
    this.#unlock = unlock;
  }

  async pull(image: string, options: PullImageOptions = {}): Promise<StoredImage> {
    const name = parseImageName(image);
    return this.#keeping(options.signal, async (keep, signal) => {
      const target = await this.#download(name, options, keep, signal);
      const names = [`${name.repository}@${target.digest}`, ...(name.digest === '' ? [`${name.repository}:${name.tag}`] : [])];
      return this.#add(target, names);
    });
  }

  async unpack(image: string, { signal }: { signal?: AbortSignal } = {}): Promise<string[]> {
    const { target } = this.#known(image);
    const content = this.#contents.get(target.digest);
    if (content === undefined) throw incomplete(target);
    return this.#keeping(signal, async (keep, own) => {
      for (const { digest } of content.blobs) keep(digest);
      return unpackImage({ ...this.#unpackJob(content, keep, own), blob: async (digest) => this.#blobs.path(digest) });
    });
  }

  list(): StoredImage[] {
    return storedImages(this.#references, this.#contents);
  }

  get(image: string): StoredImage | undefined {
    return findImage(this.list(), image);
  }

  async tag(image: string, name: string): Promise<void> {
    const { repository, tag } = parseImageName(name);
    await this.#add(this.#known(image).target, [`${repository}:${tag || 'latest'}`]);
  }

  async pin(image: string, isPinned: boolean): Promise<void> {
    const { target } = this.#known(image);
    await this.#change((references) => references.map((own) => (own.target.digest === target.digest ? { ...own, isPinned } : own)));
  }

  async remove(image: string): Promise<void> {
    const found = this.get(image);
    if (found === undefined) return;
    const name = normalName(image);
    const removed = new Set(
      name !== undefined && found.repoTags.includes(name) && found.repoTags.length > 1
        ? [name]
        : [undefined, ...found.repoTags, ...found.repoDigests],
    );
    const isRemoved = ({ name: own, target }: ImageReference) => removed.has(own) && target.digest === found.target.digest;
    await this.#change((references) => references.filter((reference) => !isRemoved(reference)));
    await this.collectGarbage();
  }

  import(archive: AsyncIterable<Uint8Array>): Promise<StoredImage[]> {
    return this.#serial(async () => {
      const { references, digests } = await importArchive(archive, this.#blobs);
      try {
        await this.#refer(references.map(({ name, target }) => ({ name: normalName(name), target })));
      } finally {
        const needed = this.#needed();
        for (const digest of digests) if (!needed.has(digest)) await this.#blobs.remove(digest);
      }
      const targets = new Set(references.map(({ target }) => target.digest));
      return this.list().filter(({ target }) => targets.has(target.digest));
    });
  }

  async *export(names: readonly string[]): AsyncGenerator<Uint8Array> {
    const exported = exportedImages(names, this.#references, this.#contents);
    const kept = new Set(exported.flatMap(({ blobs }) => blobs.map(({ digest }) => digest)));
    this.#kept.add(kept);
    try {
      yield* exportArchive(exported, this.#blobs);
    } finally {
      this.#kept.delete(kept);
    }
  }

  collectGarbage(): Promise<number> {
    return this.#serial(async () => {
      const needed = this.#needed();
      const isKept = (digest: string) => needed.has(digest) || [...this.#kept].some((kept) => kept.has(digest));
      let freed = 0;
      for (const digest of await this.#blobs.list()) {
        if (isKept(digest)) continue;
        freed += (await stat(this.#blobs.path(digest))).size;
        await this.#blobs.remove(digest);
      }
      for (const { chainId, usedBytes } of await this.#layers.list()) {
        if (isKept(chainId)) continue;
        freed += usedBytes;
        await this.#layers.remove(chainId);
      }
      await this.#layers.removeUnfinished();
      return freed + (await this.#blobs.removeUnfinished(isKept));
    });
  }

  usage(): Promise<{ usedBytes: number; usedInodes: number }> {
    return usageOf(this.#blobs, this.#layers);
  }

  blobPath(digest: string): string {
    return this.#blobs.path(digest);
  }

  async close(): Promise<void> {
    this.#closing.abort(new NodeAgentError(imageStoreErrorCodes.storeLocked, 'the image store is closed'));
    await Promise.all(this.#running);
    await this.#serial(async () => this.#unlock());
  }

  /** Does work whose content and layers no garbage collection removes, and which ends when the store closes. */
  async #keeping<T>(
    signal: AbortSignal | undefined,
    work: (keep: (digest: string) => void, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const kept = new Set<string>();
    this.#kept.add(kept);
    const result = withController(signal, (own) => {
      onAbort(this.#closing.signal, (reason) => own.abort(reason), own.signal);
      return work((digest) => kept.add(digest), own.signal);
    });
    const settled = Promise.allSettled([result]);
    this.#running.add(settled);
    try {
      return await result;
    } finally {
      this.#kept.delete(kept);
      this.#running.delete(settled);
    }
  }

  async #download(
    name: ImageName,
    { credentials, platform, unpack = false, onProgress = () => {} }: PullImageOptions,
    keep: (digest: string) => void,
    signal: AbortSignal,
  ): Promise<ContentDescriptor> {
    const { registries = {}, machine, maxDownloads = 3, clock = systemClock, random = systemRandom } = this.#options;
    const endpoints = await configuredEndpoints(registries, name.repository, name.digest !== '');
    const ports = { blobs: this.#blobs, keep, inTurn: this.#inTurn, onProgress, clock, random };
    const wanted = { machine: platform ?? machine, isForPlatform: platform !== undefined };
    const unpackPulled: PullJob['unpack'] = (content, arrival, own) =>
      unpackImage({ ...this.#unpackJob(content, keep, own), blob: (digest) => arrival(digest).then(() => this.#blobs.path(digest)) });
    return pullImage({
      ...ports,
      ...wanted,
      name,
      endpoints,
      credentials,
      maxDownloads,
      signal,
      unpack: unpack ? unpackPulled : undefined,
    });
  }

  #unpackJob({ manifest, diffIds }: PulledContent, keep: (chainId: string) => void, signal: AbortSignal) {
    return { packed: manifest.layers, diffIds, layers: this.#layers, keep, signal };
  }

  /** Writes the index. */
  async save(): Promise<void> {
    await replaceFile(join(this.#options.root, indexFile), encodeReferences(this.#references), 0o711);
  }

  /** Names content that is complete. */
  async #add(target: ContentDescriptor, names: readonly string[]): Promise<StoredImage> {
    await this.#serial(() => this.#refer(names.map((name) => ({ name, target }))));
    return this.#known(target.digest);
  }

  /** Adds references, all or none; undefined stands for the name of one without. */
  async #refer(added: readonly { name: string | undefined; target: ContentDescriptor }[]): Promise<void> {
    const contents = new Map<string, ImageContent>();
    for (const { target } of added) {
      const content = contents.get(target.digest) ?? (await imageContent(target, this.#options.machine, this.#blobs));
      // Content that was there when a pull began can have been removed by another, before the pull named it as needed.
      if (content === undefined) throw incomplete(target);
      contents.set(target.digest, content);
    }
    for (const [digest, content] of contents) this.#contents.set(digest, content);
    const add = (references: readonly ImageReference[], { name, target }: (typeof added)[number]) =>
      withReference(references, { ...(name !== undefined && { name }), target, isPinned: false });
    await this.#replace(added.reduce(add, this.#references));
  }

  /** The digests and chain IDs that images need. */
  #needed(): Set<string> {
    const contents = [...this.#contents.values()];
    return new Set(contents.flatMap(({ blobs, diffIds }) => [...blobs.map(({ digest }) => digest), ...chainIdsOf(diffIds)]));
  }

  #change(change: (references: readonly ImageReference[]) => readonly ImageReference[]): Promise<void> {
    return this.#serial(() => this.#replace(change(this.#references)));
  }

  /** In memory only once it is on disk. */
  async #replace(references: readonly ImageReference[]): Promise<void> {
    const before = this.#references;
    this.#references = references;
    try {
      await this.save();
    } catch (error) {
      this.#references = before;
      throw error;
    }
    const targets = new Set(references.map(({ target }) => target.digest));
    for (const digest of this.#contents.keys()) if (!targets.has(digest)) this.#contents.delete(digest);
  }

  #known(image: string): StoredImage {
    return requireImage(this.list(), image);
  }
}

const incomplete = ({ digest }: ContentDescriptor) =>
  new NodeAgentError(imageStoreErrorCodes.contentMismatch, `the store has not all content of ${digest}`, {
    retryable: true,
    details: { digest },
  });
