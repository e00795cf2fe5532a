import { readFile } from 'node:fs/promises';
import type { Clock } from '@nodeagent/api';
import type { FilesystemUsage, Image, ImageService, ImageSpec, ListImagesRequest } from '@nodeagent/cri-api';
import type { StoredImage } from '@nodeagent/image-store';
import { createCalls, isHostImage } from '@nodeagent/process-runtime/cri';
import { invalidArgument } from '../errors.js';
import { parseImageProcess } from '../spec/image-process.js';
import type { RuntimeImageStore } from './image-store.js';
import { toImage } from './image-view.js';
import { registryCredentials } from './registry-credentials.js';
import { storeError } from './store-error.js';

export interface ImageServicePorts {
  clock: Clock;
  /** The service of the image `host`. */
  host: ImageService;
  /** Throws if the runtime is not started. */
  store(): RuntimeImageStore;
  /** Of each container, also one that has exited; undefined for one that cannot be measured. Throws if the runtime is not started. */
  writableLayers(): Promise<(FilesystemUsage | undefined)[]>;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** The CRI's ImageService: the image `host`, and those of the store. */
export function createImageService({ clock, host, store, writableLayers, now }: ImageServicePorts): ImageService {
  const { unary, listing } = createCalls(clock);

  const list = async ({ filter }: ListImagesRequest) => {
    const wanted = filter?.image?.image;
    const { images } = await host.listImages({ filter });
    const found = wanted ? imagesOf(store(), wanted) : store().list();
    return { images: [...images, ...(await Promise.all([...byId(found).values()].map((each) => describe(store(), each))))] };
  };

  return {
    listImages: unary('ListImages', list),
    streamImages: listing('StreamImages', list),
    imageStatus: unary('ImageStatus', async ({ image, verbose = false }) => {
      const name = nameOf(image);
      if (isHostImage(name)) return host.imageStatus({ image, verbose });
      const [first, ...others] = imagesOf(store(), name);
      if (first === undefined) return { info: {} };
      const found = await describe(store(), [first, ...others]);
      if (!verbose) return { image: found, info: {} };
      return { image: found, info: { info: JSON.stringify({ imageSpec: JSON.parse(await readConfig(store(), first)) }) } };
    }),
    pullImage: unary('PullImage', async ({ image, auth }, signal) => {
      const name = nameOf(image);
      if (isHostImage(name)) return host.pullImage({ image });
      const credentials = registryCredentials(auth, name);
      const pulled = await store()
        .pull(name, { ...(credentials && { credentials }), unpack: true, ...(signal && { signal }) })
        .catch((error) => Promise.reject(storeError(`failed to pull image "${name}"`, error, signal)));
      return { imageRef: pulled.id };
    }),
    removeImage: unary('RemoveImage', async ({ image }) => {
      const name = nameOf(image);
      if (isHostImage(name)) return host.removeImage({ image });
      // All names of the image, as containerd does. What containers have mounted stays until they are removed.
      for (const { target } of imagesOf(store(), name)) await store().remove(target.digest);
      return {};
    }),
    imageFsInfo: unary('ImageFsInfo', async () => {
      const { usedBytes, usedInodes } = await store().usage();
      const layers = await writableLayers();
      const sumOf = (member: 'usedBytes' | 'inodesUsed') => layers.reduce((sum, layer) => sum + (layer?.[member]?.value ?? 0n), 0n);
      // Writable layers are on the file system of the images.
      const usage = (bytes: bigint, inodes: bigint): FilesystemUsage => ({
        timestamp: now(),
        fsId: { mountpoint: store().root },
        usedBytes: { value: bytes },
        inodesUsed: { value: inodes },
      });
      return {
        imageFilesystems: [usage(BigInt(usedBytes), BigInt(usedInodes))],
        containerFilesystems: [usage(sumOf('usedBytes'), sumOf('inodesUsed'))],
      };
    }),
  };
}

/** The text of an image's configuration: OCI image specification. */
export const readConfig = (store: RuntimeImageStore, { config }: StoredImage): Promise<string> =>
  readFile(store.blobPath(config.digest), 'utf8');

/** The image that a reference names, or an ID, also a unique beginning of one; with others of the same ID. */
export function imagesOf(store: RuntimeImageStore, reference: string): StoredImage[] {
  const all = store.list();
  const found = store.get(reference) ?? byPrefix(all, reference);
  return found === undefined ? [] : all.filter(({ id }) => id === found.id);
}

function byPrefix(images: readonly StoredImage[], reference: string): StoredImage | undefined {
  const prefix = /^(?:sha256:)?([a-f0-9]{4,64})$/.exec(reference)?.[1];
  const found = images.filter(({ id }) => prefix !== undefined && id.startsWith(`sha256:${prefix}`));
  return new Set(found.map(({ id }) => id)).size === 1 ? found[0] : undefined;
}

function byId(images: readonly StoredImage[]): Map<string, [StoredImage, ...StoredImage[]]> {
  const groups = new Map<string, [StoredImage, ...StoredImage[]]>();
  for (const image of images) {
    const group = groups.get(image.id);
    if (group === undefined) groups.set(image.id, [image]);
    else group.push(image);
  }
  return groups;
}

/** An image that cannot run, or is removed meanwhile, has no user: one bad image must not fail the list. */
async function describe(store: RuntimeImageStore, images: [StoredImage, ...StoredImage[]]): Promise<Image> {
  const user = await readConfig(store, images[0])
    .then((text) => parseImageProcess(text).user)
    .catch(() => '');
  return toImage(images, user);
}

function nameOf(image: ImageSpec | undefined): string {
  if (image?.image) return image.image;
  throw invalidArgument('image', 'must name an image');
}
