import { truncateSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestRegistry, type TestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { OciImageStore } from './oci-image-store.js';
import { readImageStore } from './read-image-store.js';

const machine = { os: 'linux', architecture: 'amd64' };
const image = testImage([Buffer.from('layer')]);
let root: string;
let registry: TestRegistry;
let store: OciImageStore;
let name: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'image-reader-'));
  registry = await startTestRegistry();
  registry.add('team/app:1', image);
  name = `${registry.host}/team/app:1`;
  store = await openImageStore({ root, machine });
  await store.pull(name);
});
afterEach(async () => {
  await store.close();
  await registry.stop();
  await rm(root, { recursive: true });
});

const read = () => readImageStore({ root, machine });
const filesOf = async () => (await readdir(root, { recursive: true })).sort();
async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

it('has what the store of another process has, and is no obstacle to it', async () => {
  const reader = await read();
  expect(reader.list()).toEqual(store.list());
  expect(reader.get(name)).toEqual(store.get(image.config.digest));
  expect(await reader.usage()).toEqual(await store.usage());
  expect(await bytesOf(reader.export([name]))).toEqual(await bytesOf(store.export([name])));
  await expect(bytesOf(reader.export(['other']))).rejects.toMatchObject({ code: 'UnknownImage' });
  await store.remove(name);
  expect([reader.list().length, (await read()).list()]).toEqual([1, []]);
});

it('writes nothing, not even where content is damaged', async () => {
  const before = await filesOf();
  for (const { digest } of [...image.layers, image.config]) truncateSync(store.blobPath(digest), 1);
  expect((await read()).list()).toEqual([]);
  await rm(join(root, 'index.json'));
  expect((await read()).list()).toEqual([]);
  expect(await filesOf()).toEqual(before.filter((path) => path !== 'index.json'));
});

it('has no images where there is no folder', async () => {
  const reader = await readImageStore({ root: join(root, 'missing') });
  expect([reader.list(), await reader.usage()]).toEqual([[], { usedBytes: 0, usedInodes: 0 }]);
});
