import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testTar } from '../layers/test-tar.js';
import { startTestRegistry, type TestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { OciImageStore } from './oci-image-store.js';

const page = 4096;
const machine = { os: 'linux', architecture: 'amd64' };
const text = (bytes: number) => randomBytes(bytes / 2).toString('hex');

describe.runIf(process.getuid?.() === 0)('a full disk', () => {
  let disk: string;
  let registry: TestRegistry;

  beforeEach(async () => {
    disk = await mkdtemp(join(tmpdir(), 'full-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2M', 'full-disk', disk]);
    registry = await startTestRegistry();
    const layers = [await testTar({ name: 'base', content: text(30_000) }), await testTar({ name: 'app', content: text(10_000) })];
    registry.add('app:1', testImage(layers));
  });
  afterEach(async () => {
    await registry.stop();
    execFileSync('umount', [disk]);
    await rm(disk, { recursive: true });
  });

  const open = () => openImageStore({ root: join(disk, 'store'), machine });
  const image = () => `${registry.host}/app:1`;
  /** Leaves so many pages. */
  async function fill(pages: number): Promise<void> {
    const { bavail } = await statfs(disk);
    await writeFile(join(disk, 'ballast'), Buffer.alloc((bavail - pages) * page));
  }

  /**
   * Does the work with one more free page each time, until it succeeds: in the meantime it fails in each of its steps. Resolves to the paths that
   * its errors name.
   */
  async function withEachSpace(prepare: (store: OciImageStore) => Promise<unknown>, work: (store: OciImageStore) => Promise<unknown>) {
    const paths = new Set<string>();
    for (let pages = 0; ; pages++) {
      let store = await open();
      await prepare(store);
      await fill(pages);
      const failure = await work(store).then(
        () => undefined,
        (error) => error,
      );
      await rm(join(disk, 'ballast'));
      if (failure !== undefined) {
        expect(failure).toMatchObject({ code: 'ENOSPC' });
        paths.add(pathIn(failure));
      }
      await store.close();
      store = await open();
      await prepare(store);
      await work(store);
      for (const { key } of await store.listMounts()) await store.removeMount(key);
      for (const { id } of store.list()) await store.remove(id);
      expect([await store.usage(), await store.collectGarbage()]).toEqual([{ usedBytes: 0, usedInodes: 0 }, 0]);
      await store.close();
      if (failure === undefined) return paths;
    }
  }
  /** The first folder of the store in the error's text, or a file of the store. */
  function pathIn(error: Error & { path?: string }): string {
    const shown = error.path ?? error.message;
    return new RegExp(`${disk}/store/(\\w+[.\\w]*)`).exec(shown)?.[1] ?? `no path: ${error.message}`;
  }

  it('fails a pull with the path, and the next one works', async () => {
    const paths = await withEachSpace(
      async () => {},
      (store) => store.pull(image()),
    );
    expect([...paths].sort()).toEqual(['index.json.tmp', 'ingest']);
  });

  it('fails to unpack with the path, and the next attempt works', async () => {
    const paths = await withEachSpace(
      (store) => store.pull(image()),
      (store) => store.unpack(image()),
    );
    expect([...paths]).toEqual(['layers']);
  });

  it('fails a mount with the path, and the next one works', async () => {
    const paths = await withEachSpace(
      (store) => store.pull(image(), { unpack: true }),
      (store) => store.mount(image(), { key: 'container', isWritable: true }),
    );
    expect([...paths]).toEqual(['mounts']);
  });

  it('fails an import with the path, and the next one works', async () => {
    const store = await open();
    await store.pull(image());
    const archive: Uint8Array[] = [];
    for await (const chunk of store.export([image()])) archive.push(chunk);
    await store.remove(image());
    await store.close();
    const paths = await withEachSpace(
      async () => {},
      (store) =>
        store.import(
          (async function* () {
            yield* archive;
          })(),
        ),
    );
    expect([...paths].sort()).toEqual(['index.json.tmp', 'ingest']);
  });
});
