import { setMaxListeners } from 'node:events';
import { mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Mounter, NodeAgentError, onAbort, systemClock, systemRandom, type VolumeUsage, withController } from '@nodeagent/api';
import { lockExclusively, replaceFile } from '@nodeagent/api/files';
import { type ImageName, lockHolderText, parseImageName } from '@nodeagent/api/helpers';
import { createNodeMounter } from '@nodeagent/mount-utils';
import { exportArchive, exportedImages } from '../archive/export-archive.js';
import { importArchive } from '../archive/import-archive.js';
import { imageStoreErrorCodes } from '../errors.js';
import { type ContentDescriptor, invalidManifest } from '../image/descriptor.js';
import { maxManifestBytes } from '../image/manifest.js';
import type { ImagePlatform } from '../image/platform.js';
import { thisMachine } from '../image/this-machine.js';
import { chainIdsOf, createLayerStore, type LayerStore, layersFolder } from '../layers/layer-store.js';
import { defaultLayerLimits } from '../layers/rewrite-layer.js';
import { type ImageMount, type ImageMounts, type MountOptions, openImageMounts, type UnmountOptions } from '../mounts/image-mounts.js';
import { requireRoot } from '../mounts/require-root.js';
import { configuredEndpoints } from '../pull/endpoints.js';
import { createKeyedTurns } from '../pull/limited.js';
import { type PulledContent, type PullJob, pullImage } from '../pull/pull-image.js';
import { type BlobStore, createBlobStore } from './blob-store.js';
import { encodeReferences, type ImageReference, nameFor, normalName, withReference } from './image-reference.js';
import type { ImageStoreOptions, OciImageStore, PullImageOptions } from './oci-image-store.js';
import { usageOf } from './read-image-store.js';
import { indexFile, readImages } from './read-images.js';
import { createSerial } from './serial.js';
import { findImage, type ImageContent, imageContent, requireImage, type StoredImage, storedImages } from './stored-image.js';
import { unpackImage } from './unpack-image.js';

const layoutText = '{"imageLayoutVersion":"1.0.0"}';

/**
 * Opens the store of a folder, for this process alone: rejects with `ImageStoreLocked` if another process has it. Images whose content is missing or damaged are
 * dropped; an index that is lost is rebuilt from the content.
 */
export async function openImageStore(options: ImageStoreOptions): Promise<OciImageStore> {
  const { machine = thisMachine(), mounter = createNodeMounter(), clock = systemClock } = options;
  await mkdir(options.root, { recursive: true, mode: 0o711 });
  // As in the mount table, and in the records of mounts.
  const root = await realpath(options.root);
  const unlock = await lockExclusively(root, 'lock', (holder) => locked(root, lockHolderText(holder)));
  try {
    const blobs = createBlobStore(root);
    await replaceUnlessEqual(join(root, 'oci-layout'), layoutText);
    const { references, contents, isCurrent } = await readImages(root, blobs, machine);
    const layers = createLayerStore(join(root, layersFolder), { ...defaultLayerLimits, ...options.layerLimits });
    await layers.removeUnfinished();
    const mounts = await openImageMounts({ root, mounter, clock });
    const store = new Store({ ...options, root, machine, mounter }, { blobs, layers, mounts }, references, contents, unlock);
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

type StoreOptions = ImageStoreOptions & { machine: ImagePlatform; mounter: Mounter };

class Store implements OciImageStore {
  readonly root: string;
  readonly #options: StoreOptions;
  readonly #blobs: BlobStore;
  readonly #layers: LayerStore;
  readonly #mounts: ImageMounts;
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
    options: StoreOptions,
    { blobs, layers, mounts }: { blobs: BlobStore; layers: LayerStore; mounts: ImageMounts },
    references: readonly ImageReference[],
    contents: Map<string, ImageContent>,
    unlock: () => void,
  ) {
    // Each call listens to it while it runs.
    setMaxListeners(0, this.#closing.signal);
    this.root = options.root;
    this.#options = options;
    this.#blobs = blobs;
    this.#layers = layers;
    this.#mounts = mounts;
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

  unpack(image: string, { signal }: { signal?: AbortSignal } = {}): Promise<string[]> {
    return this.#keeping(signal, (keep, own) => this.#unpack(this.#known(image), keep, own));
  }

  mount(image: string | { folders: readonly string[] }, options: MountOptions): Promise<ImageMount> {
    return this.#keeping(options.signal, async (keep, signal) => {
      if (typeof image !== 'string') {
        requireRoot(this.#options.mounter.canMount, `mount ${image.folders.join(':')}`);
        return this.#mounts.mount({ folders: image.folders }, { ...options, signal });
      }
      requireRoot(this.#options.mounter.canMount, `mount ${image}`);
      const known = this.#known(image);
      const folders = await this.#unpack(known, keep, signal);
      return this.#mounts.mount({ image: known.target.digest, folders }, { ...options, signal });
    });
  }

  unmount(key: string, options: UnmountOptions = {}): Promise<void> {
    return this.#keeping(options.signal, (_, signal) => this.#mounts.unmount(key, { ...options, signal }));
  }

  async removeMount(key: string, options: UnmountOptions = {}): Promise<void> {
    await this.#keeping(options.signal, (_, signal) => this.#mounts.removeMount(key, { ...options, signal }));
    await this.#serial(() => this.#removeLayers());
  }

  listMounts(): Promise<ImageMount[]> {
    return this.#mounts.listMounts();
  }

  snapshotUsage(key: string, signal: AbortSignal): Promise<VolumeUsage> {
    return this.#mounts.snapshotUsage(key, signal);
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
        await this.#refer(references.map(({ name, target }) => ({ name: nameFor(target, name), target })));
      } finally {
        const isNeeded = this.#isNeeded();
        for (const digest of digests) if (!isNeeded(digest)) await this.#blobs.remove(digest);
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
      const isNeeded = this.#isNeeded();
      let freed = await this.#removeLayers();
      for (const digest of await this.#blobs.list()) {
        if (isNeeded(digest)) continue;
        freed += (await stat(this.#blobs.path(digest))).size;
        await this.#blobs.remove(digest);
      }
      await this.#layers.removeUnfinished();
      return freed + (await this.#blobs.removeUnfinished(isNeeded));
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
    const result = withController(this.#closing.signal, (closing) =>
      withController(signal, (own) => {
        onAbort(closing.signal, (reason) => own.abort(reason), own.signal);
        return work((digest) => kept.add(digest), own.signal);
      }),
    );
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

  async #unpack({ target }: StoredImage, keep: (digest: string) => void, signal: AbortSignal): Promise<string[]> {
    const content = this.#contents.get(target.digest);
    if (content === undefined) throw incomplete(target);
    for (const { digest } of content.blobs) keep(digest);
    return unpackImage({ ...this.#unpackJob(content, keep, signal), blob: async (digest) => this.#blobs.path(digest) });
  }

  #unpackJob({ manifest, diffIds }: PulledContent, keep: (chainId: string) => void, signal: AbortSignal) {
    return { packed: manifest.layers, diffIds, layers: this.#layers, keep, signal };
  }

  /** Writes the index. Rejects with `InvalidManifest` if it is so large that it could not be read again. */
  async save(): Promise<void> {
    const text = encodeReferences(this.#references);
    if (text.length > maxManifestBytes) throw invalidManifest(indexFile, `must be at most ${maxManifestBytes} bytes: remove names first`);
    await replaceFile(join(this.#options.root, indexFile), text, 0o711);
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

  /** Whether an image, a pull or a mount that is being made needs the content or the layer. */
  #isNeeded(): (digest: string) => boolean {
    const needed = this.#needed();
    return (digest) => needed.has(digest) || [...this.#kept].some((kept) => kept.has(digest));
  }

  /** Resolves to the number of bytes. */
  async #removeLayers(): Promise<number> {
    const isNeeded = this.#isNeeded();
    const mounted = this.#mounts.foldersInUse();
    let freed = 0;
    for (const { chainId, usedBytes } of await this.#layers.list()) {
      if (isNeeded(chainId) || mounted.has(this.#layers.path(chainId))) continue;
      freed += usedBytes;
      await this.#layers.remove(chainId);
    }
    return freed;
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
