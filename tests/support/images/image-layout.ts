import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

type Compression = 'none' | 'gzip' | 'zstd';

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
  [more: string]: unknown;
}

/** A layer of a test's image: an uncompressed archive, and how it is stored. */
export interface LayoutLayer {
  tar: Uint8Array;
  /** Default: gzip. */
  compression?: Compression;
}

/** An image of a test. */
export interface LayoutImage {
  layers: readonly LayoutLayer[];
  architecture?: string;
}

const compress: Readonly<Record<Compression, (tar: Uint8Array) => Uint8Array>> = {
  none: (tar) => tar,
  gzip: (tar) => gzipSync(tar, { level: 1 }),
  zstd(tar) {
    const { status, stdout, stderr } = spawnSync('zstd', ['-q', '-c', '-1'], { input: tar, maxBuffer: 2 ** 30 });
    if (status !== 0) throw new Error(`zstd: ${stderr}`);
    return stdout;
  },
};

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
};

const digestOf = (content: Uint8Array) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/** Writes OCI image layouts, as skopeo and umoci read them. */
export function createImageLayout(folder: string) {
  mkdirSync(join(folder, 'blobs/sha256'), { recursive: true });
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const entries: Descriptor[] = [];

  function put(mediaType: string, content: Uint8Array | object, more: object = {}): Descriptor {
    const bytes = content instanceof Uint8Array ? content : Buffer.from(JSON.stringify(content));
    const digest = digestOf(bytes);
    writeFileSync(join(folder, 'blobs/sha256', digest.slice(7)), bytes);
    return { mediaType, digest, size: bytes.length, ...more };
  }

  function putImage({ layers, architecture = 'amd64' }: LayoutImage): Descriptor {
    const rootfs = { type: 'layers', diff_ids: layers.map(({ tar }) => digestOf(tar)) };
    const config = put(types.config, { os: 'linux', architecture, config: {}, rootfs });
    const stored = layers.map(({ tar, compression = 'gzip' }) =>
      put(compression === 'none' ? types.layer : `${types.layer}+${compression}`, compress[compression](tar)),
    );
    const manifest = { schemaVersion: 2, mediaType: types.manifest, config, layers: stored };
    return put(types.manifest, manifest, { platform: { os: 'linux', architecture } });
  }

  function name(tag: string, { platform: _, ...descriptor }: Descriptor): string {
    // The short name is skopeo's, the long one containerd's.
    const annotations = { 'org.opencontainers.image.ref.name': tag, 'io.containerd.image.name': `localhost/${tag}` };
    entries.push({ ...descriptor, annotations });
    writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: entries }));
    return descriptor.digest;
  }

  return {
    folder,
    /** Adds an image, and returns the digest of its manifest. */
    add: (tag: string, image: LayoutImage) => name(tag, putImage(image)),
    /** Adds an index of images, and returns its digest. */
    addIndex(tag: string, images: readonly LayoutImage[]) {
      const index = { schemaVersion: 2, mediaType: types.index, manifests: images.map(putImage) };
      return name(tag, put(types.index, index));
    },
  };
}
