import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testTar } from '../layers/test-tar.js';
import { startTestRegistry, type TestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { OciImageStore } from './oci-image-store.js';

let folder: string;
let registry: TestRegistry;
let store: OciImageStore;
const machine = { os: 'linux', architecture: 'amd64' };
const open = () => openImageStore({ root: join(folder, 'store'), machine });
const layerFolders = () => readdir(join(folder, 'store', 'layers'));

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'image-store-'));
  registry = await startTestRegistry();
  const base = await testTar({ name: 'bin/sh', content: 'shell' });
  registry.add('first:1', testImage([base, await testTar({ name: 'app', content: 'first' })]));
  registry.add('second:1', testImage([base, await testTar({ name: 'app', content: 'second' })]));
  store = await open();
});

afterEach(async () => {
  await store.close();
  await registry.stop();
  await rm(folder, { recursive: true });
});

describe.runIf(process.getuid?.() === 0)('unpacked layers', () => {
  it('are shared by images, and removed with the last of these', async () => {
    await store.pull(`${registry.host}/first:1`, { unpack: true });
    await store.pull(`${registry.host}/second:1`);
    const [[, firstBase], [top = '', secondBase]] = await Promise.all([
      store.unpack(`${registry.host}/first:1`),
      store.unpack(`${registry.host}/second:1`),
    ]);
    expect(firstBase).toBe(secondBase);
    expect(await readFile(join(top, 'app'), 'utf8')).toBe('second');
    expect(await readFile(join(secondBase ?? '', 'bin/sh'), 'utf8')).toBe('shell');
    expect(await layerFolders()).toHaveLength(3);
    const { usedBytes } = await store.usage();
    await store.remove(`${registry.host}/first:1`);
    expect(await layerFolders()).toHaveLength(2);
    expect((await store.usage()).usedBytes).toBeLessThan(usedBytes - 5);
    await store.remove(`${registry.host}/second:1`);
    expect(await store.usage()).toEqual({ usedBytes: 0, usedInodes: 0 });
    expect(await layerFolders()).toEqual([]);
  });

  it('are unpacked once by two calls at once', async () => {
    const pulls = [1, 2].map(() => store.pull(`${registry.host}/first:1`, { unpack: true }));
    await Promise.all(pulls);
    expect(await layerFolders()).toHaveLength(2);
  });

  it('are unpacked again if they are half, or damaged', async () => {
    await store.pull(`${registry.host}/first:1`, { unpack: true });
    const [top = '', base = ''] = await store.unpack(`${registry.host}/first:1`);
    await store.close();
    await writeFile(join(top, '../layer.json'), '{"chainId":');
    await rm(join(base, '../layer.json'));
    await mkdir(join(base, '../../.unpack-x/diff'), { recursive: true });
    store = await open();
    expect(await layerFolders()).toEqual([]);
    expect(await store.unpack(`${registry.host}/first:1`)).toEqual([top, base]);
    expect(await readFile(join(top, 'app'), 'utf8')).toBe('first');
  });

  it('are whole after a second pull, whichever file of the store besides theirs was truncated', async () => {
    const images = ['first', 'second'].map((name) => `${registry.host}/${name}:1`);
    const pull = async () => {
      for (const image of images) await store.pull(image, { unpack: true });
    };
    await pull();
    await store.close();
    const names = await readdir(join(folder, 'store'), { recursive: true });
    const damaged = new Set<string>();
    for (const name of names.filter((each) => !each.includes('/diff'))) {
      const path = join(folder, 'store', name);
      const { size } = await stat(path);
      if (!(await stat(path)).isFile()) continue;
      await truncate(path, Math.floor(size / 2));
      damaged.add(name.split('/').at(-1) ?? '');
      store = await open();
      await pull();
      for (const [index, content] of ['first', 'second'].entries()) {
        const [top = '', base = ''] = await store.unpack(images[index] ?? '');
        expect([await readFile(join(top, 'app'), 'utf8'), await readFile(join(base, 'bin/sh'), 'utf8')], name).toEqual([content, 'shell']);
      }
      await store.collectGarbage();
      expect(await layerFolders(), name).toHaveLength(3);
      await store.close();
    }
    expect([...damaged]).toEqual(expect.arrayContaining(['index.json', 'oci-layout', 'layer.json']));
    store = await open();
  });

  it('end with the store', async () => {
    await store.pull(`${registry.host}/first:1`);
    const unpacking = store.unpack(`${registry.host}/first:1`);
    await Promise.all([store.close(), expect(unpacking).rejects.toMatchObject({ code: 'ImageStoreLocked' })]);
    store = await open();
  });
});

it('reports an unsafe layer, and keeps nothing of it', async () => {
  registry.add('unsafe:1', testImage([await testTar({ name: 'good' }, { name: '../bad' })]));
  const code = process.getuid?.() === 0 ? 'UnsafeLayer' : 'RequiresRoot';
  await expect(store.pull(`${registry.host}/unsafe:1`, { unpack: true })).rejects.toMatchObject({ code });
  await expect(store.unpack('unknown')).rejects.toMatchObject({ code: 'UnknownImage' });
  expect(store.list()).toEqual([]);
  expect(await readdir(join(folder, 'store', 'layers')).catch(() => [])).toEqual([]);
});
