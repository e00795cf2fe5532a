import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageMediaTypes, maxManifestBytes } from '../image/manifest.js';
import { descriptorOf, startTestRegistry, type TestRegistry, testContent, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { OciImageStore } from './oci-image-store.js';

let root: string;
let registry: TestRegistry;
let store: OciImageStore;
const good = testImage([randomBytes(20_000)]);
const [layer = good.config] = good.layers;
const name = (path: string) => `${registry.host}/${path}`;
const open = () => openImageStore({ root, machine: { os: 'linux', architecture: 'amd64' } });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'image-store-'));
  registry = await startTestRegistry();
  registry.add('team/good:1', good);
  store = await open();
  await store.pull(name('team/good:1'));
});
afterEach(async () => {
  await store.close();
  await registry.stop();
  await rm(root, { recursive: true, force: true });
});

/** The good image is in the store, whole, also for the next process. */
async function expectGood(): Promise<void> {
  for (const { digest, bytes } of [good.manifest, good.config, layer]) expect(await readFile(store.blobPath(digest))).toEqual(bytes);
  await store.close();
  store = await open();
  expect(store.get(name('team/good:1'))?.id).toBe(good.config.digest);
}

describe('a hostile image', () => {
  it('cannot remove the content of another by a wrong size', async () => {
    const lie = testContent(imageMediaTypes.ociManifest, {
      schemaVersion: 2,
      config: descriptorOf(good.config),
      layers: [{ ...descriptorOf(layer), size: 7 }],
    });
    registry.add('team/lie:1', { ...good, manifest: lie });
    await expect(store.pull(name('team/lie:1'))).rejects.toMatchObject({ code: 'ContentMismatch' });
    const index = testContent(imageMediaTypes.ociIndex, {
      schemaVersion: 2,
      manifests: [{ ...descriptorOf(good.manifest), size: 7, platform: { os: 'linux', architecture: 'amd64' } }],
    });
    registry.add('team/index:1', good, index);
    await expect(store.pull(name('team/index:1'))).rejects.toMatchObject({ code: 'InvalidManifest' });
    await expectGood();
  });
});

it('refuses a name with which its index could not be read again', async () => {
  await store.close();
  const entry = (index: number) => {
    const annotations = { 'io.containerd.image.name': `docker.io/${'x'.repeat(200)}/${index}:1` };
    return { ...descriptorOf(good.manifest), annotations: { ...annotations, 'org.opencontainers.image.ref.name': '1' } };
  };
  const size = JSON.stringify(entry(10_000)).length + 1;
  const manifests = Array.from({ length: Math.floor((maxManifestBytes - 600) / size) }, (_, index) => entry(10_000 + index));
  await writeFile(join(root, 'index.json'), JSON.stringify({ schemaVersion: 2, mediaType: imageMediaTypes.ociIndex, manifests }));
  store = await open();
  const tagging = async () => {
    for (let tag = 0; tag < 5; tag++) await store.tag(good.config.digest, `a:${tag}`);
  };
  await expect(tagging()).rejects.toMatchObject({ code: 'InvalidManifest', message: expect.stringContaining('remove names first') });
  await store.close();
  store = await open();
  expect(store.list()[0]?.repoTags).toContain(`docker.io/${'x'.repeat(200)}/10000:1`);
});

it('has content that other users cannot read', async () => {
  for (const path of ['blobs', 'blobs/sha256', 'ingest', 'index.json']) expect((await stat(join(root, path))).mode & 0o077).toBe(0);
});

describe('a file that is no manifest', () => {
  it('is not read: one larger than memory, a pipe, a folder', async () => {
    const [large, pipe, folder] = ['a', 'b', 'c'].map((digit) => store.blobPath(`sha256:${digit.repeat(64)}`));
    await writeFile(large ?? '', '{');
    await truncate(large ?? '', 2 ** 32);
    execFileSync('mkfifo', [pipe ?? '']);
    await mkdir(folder ?? '');
    const { size } = await stat(folder ?? '');
    const entries = [2 ** 32, 0, size].map((size, index) => ({
      mediaType: imageMediaTypes.ociManifest,
      digest: `sha256:${'abc'.charAt(index).repeat(64)}`,
      size,
    }));
    await store.close();
    const index = join(root, 'index.json');
    const text = await readFile(index, 'utf8');
    await writeFile(index, text.replace('"manifests":[', `"manifests":[${entries.map((entry) => `${JSON.stringify(entry)},`).join('')}`));
    store = await open();
    expect(store.list().map(({ id }) => id)).toEqual([good.config.digest]);
    await store.close();
    await rm(index);
    store = await open();
    expect(store.list().map(({ id }) => id)).toEqual([good.config.digest]);
  });
});
