import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { testTar } from '../layers/test-tar.js';
import { startTestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { OciImageStore } from './oci-image-store.js';

const kills = 50;
const maxDelayMs = 100;
const isRoot = process.geteuid?.() === 0;
const seed = Date.now() % 1_000_000;
let state = seed;
/** Numbers in [0, 1) that follow from the seed. */
function random(): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
  return state / 2 ** 31;
}

it(`is consistent after ${kills} kills of pulls and removals (seed ${seed})`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'image-store-'));
  const root = join(folder, 'store');
  const registry = await startTestRegistry();
  const layer = (bytes: number) => layerOf(randomBytes(bytes / 2).toString('hex'));
  const shared = await layer(300_000);
  const images = [testImage([shared, await layer(2_000_000)]), testImage([shared, await layer(50_000)])] as const;
  registry.add('team/first:1', images[0]);
  registry.add('team/second:1', images[1]);
  const program = join(folder, 'program.cjs');
  const entryPoint = fileURLToPath(new URL('test-killed-store.ts', import.meta.url));
  await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'cjs' });
  const open = () => openImageStore({ root, machine: { os: 'linux', architecture: 'amd64' } });
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, [program, root, registry.host], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [text] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
    expect(String(text)).toBe('open\n');
    await new Promise((resolve) => setTimeout(resolve, random() * maxDelayMs));
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (kill % 2 === 0) continue;
    const store = await open();
    await expectWhole(store);
    await store.close();
  }
  const store = await open();
  for (const image of ['first', 'second']) await store.pull(`${registry.host}/team/${image}:1`, { unpack: isRoot });
  await expectWhole(store);
  const blobs = () => readdir(join(root, 'blobs/sha256'));
  const layers = () => readdir(join(root, 'layers'));
  await store.collectGarbage();
  // Two manifests, two configurations, and three layers, one of which both images have.
  expect(await blobs()).toHaveLength(7);
  if (isRoot) expect(await layers()).toHaveLength(3);
  await store.remove(images[0].config.digest);
  await store.remove(images[1].config.digest);
  expect(await store.usage()).toEqual({ usedBytes: 0, usedInodes: 0 });
  if (isRoot) expect([await layers(), await readdir(join(root, 'ingest'))]).toEqual([[], []]);
  await store.close();
  await registry.stop();
  await rm(folder, { recursive: true });
});

/** Whether all content of the images and all files of their layers are as they were. */
async function expectWhole(store: OciImageStore): Promise<void> {
  for (const { id, config, layers, diffIds } of store.list()) {
    for (const { digest } of [config, ...layers]) expect(sha256Of(await readFile(store.blobPath(digest)))).toBe(digest);
    if (!isRoot) continue;
    for (const folder of await store.unpack(id))
      expect(diffIds).toContain(sha256Of(await layerOf(await readFile(join(folder, 'file'), 'utf8'))));
  }
}

const layerOf = (content: string) => testTar({ name: 'file', content }, { name: 'folder/.wh..wh..opq' });
const sha256Of = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
