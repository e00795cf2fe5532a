import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { descriptorOf, startTestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from '../store/image-store.js';
import type { OciImageStore } from '../store/oci-image-store.js';
import { createTarWriter } from './tar-stream.js';

let folder: string;
let store: OciImageStore;
const machine = { os: 'linux', architecture: 'amd64' };
const open = (name: string) => openImageStore({ root: join(folder, name), machine });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-store-'));
  store = await open('store');
});
afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
async function* inPieces(bytes: Buffer, size = 10_000) {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size);
}
function archiveOf(files: Record<string, string | Buffer>): Promise<Buffer> {
  const archive = createTarWriter();
  for (const [name, content] of Object.entries(files))
    archive.entry({ name, size: Buffer.byteLength(content), mtime: new Date(0), mode: 0o644 }).end(content);
  archive.finalize();
  return bytesOf(archive);
}

const layer = randomBytes(50_000);
const image = testImage([layer]);
const blobs = Object.fromEntries(
  [image.manifest, image.config, ...image.layers].map(({ digest, bytes }) => [`blobs/sha256/${digest.slice(7)}`, bytes]),
);
const index = (annotations: object) =>
  JSON.stringify({
    schemaVersion: 2,
    manifests: [{ mediaType: image.manifest.mediaType, digest: image.manifest.digest, size: image.manifest.size, annotations }],
  });

it('imports what it exports, with all names, and exports the same bytes again', async () => {
  const registry = await startTestRegistry();
  registry.add('team/app:1', image);
  const name = `${registry.host}/team/app:1`;
  const pulled = await store.pull(name);
  const archive = await bytesOf(store.export([name]));
  const other = await open('other');
  expect(await other.import(inPieces(archive))).toEqual([pulled]);
  expect(await other.import(inPieces(gzipSync(archive)))).toEqual([pulled]);
  expect((await bytesOf(other.export([pulled.id]))).equals(archive)).toBe(true);
  expect(await other.usage()).toMatchObject({ usedInodes: 3 });
  await other.close();
  await registry.stop();
  await expect(bytesOf(store.export(['missing']))).rejects.toMatchObject({ code: 'UnknownImage' });
});

describe('an archive', () => {
  it('of an OCI layout is imported by the name of containerd, by a full name, or without one', async () => {
    const archive = (annotations: object) => archiveOf({ ...blobs, 'index.json': index(annotations), 'oci-layout': '{}' });
    const names = async (annotations: object) => {
      const [imported] = await store.import(inPieces(await archive(annotations)));
      const { repoTags } = imported ?? {};
      await store.remove(imported?.id ?? '');
      return repoTags;
    };
    expect(await names({ 'io.containerd.image.name': 'nginx:1' })).toEqual(['docker.io/library/nginx:1']);
    expect(await names({ 'org.opencontainers.image.ref.name': 'ghcr.io/a/b:2' })).toEqual(['ghcr.io/a/b:2']);
    expect(await names({ 'org.opencontainers.image.ref.name': 'latest' })).toEqual([]);
    expect(await store.usage()).toEqual({ usedBytes: 0, usedInodes: 0 });
  });

  it('of docker save is imported with plain and compressed layers, and through links', async () => {
    const diffIds = [`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`];
    const config = JSON.stringify({ os: 'linux', architecture: 'amd64', rootfs: { diff_ids: diffIds } });
    const archive = await archiveOf({
      'abc/json': '{}',
      'abc/layer.tar': layer,
      'def/layer.tar': gzipSync(layer),
      'config.json': config,
      'manifest.json': JSON.stringify([
        { Config: 'config.json', RepoTags: ['app:1', 'app:2'], Layers: ['abc/layer.tar', 'def/layer.tar'] },
      ]),
    });
    const [imported] = await store.import(inPieces(archive));
    expect(imported).toMatchObject({ repoTags: ['docker.io/library/app:1', 'docker.io/library/app:2'], diffIds });
    expect(imported?.layers.map(({ mediaType }) => mediaType.split('.').at(-1))).toEqual(['tar', 'gzip']);
    expect(await store.usage()).toMatchObject({ usedInodes: 4 });
  });

  it.each<[string, Record<string, string | Buffer>, string, RegExp]>([
    ['without an index', { ...blobs }, 'InvalidImageArchive', /neither index.json nor manifest.json/],
    [
      'with a blob that has another digest',
      { ...blobs, [`blobs/sha256/${'a'.repeat(64)}`]: 'x' },
      'InvalidImageArchive',
      /has the digest sha256:/,
    ],
    ['with a manifest that is no list', { 'manifest.json': '{}' }, 'InvalidImageArchive', /must be a list/],
    [
      'that lacks a layer',
      { 'c.json': '{}', 'manifest.json': '[{"Config":"c.json","Layers":["x/layer.tar"]}]' },
      'InvalidImageArchive',
      /does not have/,
    ],
    [
      'that lacks content of its second image',
      {
        ...blobs,
        'index.json': JSON.stringify({
          manifests: [descriptorOf(image.manifest), { ...descriptorOf(image.manifest), digest: `sha256:${'b'.repeat(64)}` }],
        }),
      },
      'ContentMismatch',
      /not all content/,
    ],
    [
      'with a file of docker save that has no name',
      { 'manifest.json': '[{"Config":{"toString":1},"Layers":[]}]' },
      'InvalidImageArchive',
      /is not a text/,
    ],
    ['that lacks content', { 'index.json': index({}) }, 'ContentMismatch', /not all content/],
    ['with a path out of it', { '../../x': 'x' }, 'UnsafeLayer', /\.\. in its name/],
  ])('%s is refused', async (_, files, code, message) => {
    await expect(store.import(inPieces(await archiveOf(files)))).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(store.list()).toEqual([]);
    await store.collectGarbage();
    expect(await store.usage()).toEqual({ usedBytes: 0, usedInodes: 0 });
  });

  it('that is cut off, or is none, is refused', async () => {
    const whole = await archiveOf({ ...blobs, 'index.json': index({}) });
    await expect(store.import(inPieces(whole.subarray(0, 20_000)))).rejects.toMatchObject({ code: 'InvalidImageArchive' });
    await expect(store.import(inPieces(Buffer.alloc(5000, 'x')))).rejects.toMatchObject({ code: 'InvalidImageArchive' });
    const damaged = gzipSync(whole).fill(0, 20_000, 20_100);
    for (const bytes of [gzipSync(whole).subarray(0, 20_000), damaged])
      await expect(store.import(inPieces(bytes))).rejects.toMatchObject({
        code: 'InvalidImageArchive',
        message: expect.stringContaining('compression is damaged'),
      });
    expect(store.list()).toEqual([]);
    expect(await readdir(join(folder, 'store', 'ingest'))).toEqual([]);
  });

  it('cannot remove content of another image, nor name its image by the digest of another', async () => {
    const files = { ...blobs, 'index.json': index({ 'io.containerd.image.name': 'good:1' }) };
    await store.import(inPieces(await archiveOf(files)));
    const wrong = { [`blobs/sha256/${'a'.repeat(64)}`]: layer };
    const plain = Object.values(blobs).map((bytes) => ({ [`blobs/sha256/${'a'.repeat(64)}`]: bytes }));
    for (const lie of [wrong, ...plain])
      await expect(store.import(inPieces(await archiveOf(lie)))).rejects.toMatchObject({ code: 'InvalidImageArchive' });
    await store.close();
    store = await open('store');
    expect(store.get('good:1')?.id).toBe(image.config.digest);

    const trusted = `docker.io/library/trusted@sha256:${'b'.repeat(64)}`;
    await store.import(inPieces(await archiveOf({ ...files, 'index.json': index({ 'io.containerd.image.name': trusted }) })));
    const docker = {
      'c.json': image.config.bytes,
      'l.tar': layer,
      'manifest.json': JSON.stringify([{ Config: 'c.json', RepoTags: [trusted], Layers: ['l.tar'] }]),
    };
    await store.import(inPieces(await archiveOf(docker)));
    expect(store.get(trusted)).toBeUndefined();
  });

  it('cannot have so many names that the index of the store is lost', async () => {
    const names = Array.from({ length: 20_000 }, (_, number) => `a:${number}`);
    const docker = {
      'c.json': image.config.bytes,
      'l.tar': layer,
      'manifest.json': JSON.stringify([{ Config: 'c.json', RepoTags: names, Layers: ['l.tar'] }]),
    };
    await expect(store.import(inPieces(await archiveOf(docker)))).rejects.toMatchObject({
      code: 'InvalidImageArchive',
      message: expect.stringContaining('more than 1000 names'),
    });
  });

  it('keeps content that a running pull needs', async () => {
    const registry = await startTestRegistry();
    registry.add('team/app:1', image);
    const [{ digest } = image.config] = image.layers;
    let imported: Promise<unknown> | undefined;
    registry.misbehave = ({ url }, response) => {
      if (!url?.includes(image.config.digest) || imported !== undefined) return false;
      const lacking = archiveOf({ [`blobs/sha256/${digest.slice(7)}`]: image.layers[0]?.bytes ?? '', 'index.json': index({}) });
      imported = lacking.then((bytes) => store.import(inPieces(bytes))).catch((error) => error.code);
      void imported.then(() => response.end(image.config.bytes));
      return true;
    };
    await store.pull(`${registry.host}/team/app:1`);
    expect(await imported).toBe('ContentMismatch');
    await registry.stop();
  });
});
