import type { Clock, Mounter, Random } from '@nodeagent/api';
import type { ImagePlatform } from '../image/platform.js';
import type { LayerLimits } from '../layers/rewrite-layer.js';
import type { ImageMount, MountedImages, MountOptions } from '../mounts/image-mounts.js';
import type { RegistryConfigPaths } from '../pull/endpoints.js';
import type { BlobProgress } from '../pull/pull-image.js';
import type { RegistryCredentials } from '../registry/token.js';
import type { ImageStoreReader, ImageStoreReaderOptions } from './read-image-store.js';
import type { StoredImage } from './stored-image.js';

/** Options of `openImageStore`. */
export interface ImageStoreOptions extends ImageStoreReaderOptions {
  /** Where mirrors and certificates of registries are configured. Default: nowhere. */
  registries?: RegistryConfigPaths;
  /** Layers that one pull downloads at once. Default 3. */
  maxDownloads?: number;
  /** What mounts images. Default: that of this machine. */
  mounter?: Mounter;
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
export interface OciImageStore extends ImageStoreReader, MountedImages {
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
  /**
   * Mounts an image, which it unpacks if need be, or folders of the machine such as `/`, the uppermost first: of these, without what other file systems have
   * there. Idempotent for the same image and options. Needs root, else rejects with `RequiresRoot`; rejects with another code of `imageStoreErrorCodes`, or with
   * `MountFailed`, and leaves nothing. The layers stay while they are mounted, also if the image is removed.
   */
  mount(image: string | { folders: readonly string[] }, options: MountOptions): Promise<ImageMount>;
  /** Gives an image of the store another name. Rejects with `UnknownImage`. */
  tag(image: string, name: string): Promise<void>;
  /** Sets whether the image is pinned: the kubelet's garbage collection keeps such images. Rejects with `UnknownImage`. */
  pin(image: string, isPinned: boolean): Promise<void>;
  /**
   * Removes a name; with its last tag, or by an id, the image; then the content that no image needs. Does nothing if the store does not have it.
   */
  remove(image: string): Promise<void>;
  /**
   * Adds the images of an archive: of an OCI image layout, or of `docker save`, also compressed with gzip. Rejects with `InvalidImageArchive`, and then adds none. Changes of the
   * store by others wait meanwhile.
   */
  import(archive: AsyncIterable<Uint8Array>): Promise<StoredImage[]>;
  /** Removes content and unpacked layers that no image, no mount and no running pull needs, such as that of pulls that were killed. Resolves with the number of bytes. */
  collectGarbage(): Promise<number>;
  /** Waits until the index is written, and lets another process open the store. Running pulls fail. */
  close(): Promise<void>;
}
