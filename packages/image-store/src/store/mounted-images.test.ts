import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testTar } from '../layers/test-tar.js';
import { overlayFolder } from '../mounts/test-overlay-folder.js';
import { startTestRegistry, type TestRegistry, testImage } from '../pull/test-registry.js';
import { openImageStore } from './image-store.js';
import type { OciImageStore } from './oci-image-store.js';

const isRoot = process.getuid?.() === 0;
const machine = { os: 'linux', architecture: 'amd64' };
const { signal } = new AbortController();

let folder: string;
let registry: TestRegistry;
let store: OciImageStore;
let image: string;
const open = async () => {
  store = await openImageStore({ root: join(folder, 'store'), machine });
};
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(overlayFolder ?? tmpdir(), 'mounted-images-')));
  registry = await startTestRegistry();
  const base = await testTar({ name: 'bin/sh', content: 'shell' }, { name: 'etc/conf', content: 'old' });
  registry.add('first:1', testImage([base, await testTar({ name: 'etc/.wh.conf', content: '' }, { name: 'app', content: 'first' })]));
  registry.add('second:1', testImage([base]));
  image = `${registry.host}/first:1`;
  await open();
  await store.pull(image);
});
afterEach(async () => {
  for (const { key } of await store.listMounts()) await store.removeMount(key);
  await store.close();
  await registry.stop();
  await rm(folder, { recursive: true });
});

describe.runIf(overlayFolder)('a mounted image', () => {
  it('keeps its layers until it is unmounted, although the image is removed', async () => {
    const { path } = await store.mount(image, { key: 'c1', isWritable: true });
    expect([readdirSync(path).sort(), readdirSync(join(path, 'etc'))]).toEqual([['app', 'bin', 'etc'], []]);
    await store.remove(image);
    expect(readFileSync(join(path, 'bin/sh'), 'utf8')).toBe('shell');
    await store.close();
    await symlink(folder, join(folder, 'link'));
    store = await openImageStore({ root: join(folder, 'link/store'), machine });
    await store.collectGarbage();
    expect(readFileSync(join(path, 'app'), 'utf8')).toBe('first');
    expect(await store.listMounts()).toMatchObject([{ key: 'c1', path, isMounted: true, isWritable: true }]);
    await store.removeMount('c1');
    expect(await store.usage()).toEqual({ usedBytes: 0, usedInodes: 0 });
    expect(readdirSync(join(folder, 'store/layers'))).toEqual([]);
  });

  it('lets every user read its root folder, which no layer describes', async () => {
    const { path } = await store.mount(image, { key: 'c1', isWritable: true });
    expect(lstatSync(path).mode & 0o7777).toBe(0o755);
  });

  it('is one mount for two calls at once, beside others', async () => {
    const target = join(folder, 'target');
    mkdirSync(target);
    const [first, second] = await Promise.all([
      store.mount(image, { key: 'c1', isWritable: true }),
      store.mount(image, { key: 'c1', isWritable: true }),
      store.mount(image, { key: 'volume', target, subPath: 'bin' }),
    ]);
    expect(first).toEqual(second);
    expect(readdirSync(target)).toEqual(['sh']);
    const { inodesUsed } = await store.snapshotUsage('c1', signal);
    expect(inodesUsed).toBe(1n);
    await expect(store.snapshotUsage('volume', signal)).rejects.toMatchObject({ code: 'UnknownMount' });
    await expect(store.mount('other:1', { key: 'c2' })).rejects.toMatchObject({ code: 'UnknownImage' });
  });
});

it.runIf(overlayFolder)('mounts and unmounts many images at once, without a warning of Node', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => warnings.push(warning);
  process.on('warning', warn);
  const keys = Array.from({ length: 20 }, (_, index) => `c${index}`);
  await Promise.all(keys.map((key) => store.mount(image, { key, isWritable: true })));
  await Promise.all(keys.map((key) => store.removeMount(key)));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warn);
  expect(warnings).toEqual([]);
});

describe('a user without privileges', () => {
  it('pulls, imports, lists, inspects, exports and removes images, and learns what needs root', async () => {
    const program = join(folder, 'program.cjs');
    const entryPoint = fileURLToPath(new URL('test-unprivileged-store.ts', import.meta.url));
    await build({ entryPoints: [entryPoint], outfile: program, bundle: true, platform: 'node', format: 'cjs' });
    const second = `${registry.host}/second:1`;
    await store.pull(second);
    const archive: Uint8Array[] = [];
    for await (const chunk of store.export([second])) archive.push(chunk);
    await writeFile(join(folder, 'archive.tar'), Buffer.concat(archive));
    chmodSync(folder, 0o777);
    const user = isRoot ? { uid: 65534, gid: 65534 } : {};
    const args = [program, join(folder, 'own'), image, join(folder, 'archive.tar')];
    const child = spawn(process.execPath, args, { ...user, stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    const { id, layers } = store.get(image) ?? {};
    expect(JSON.parse(output)).toEqual({
      id,
      inspected: id,
      imported: store.get(second)?.id,
      exported: expect.any(Number),
      unpack: {
        code: 'RequiresRoot',
        message: expect.stringContaining('cannot unpack the layer sha256:'),
        hint: expect.stringContaining('To pull, import, list and export them needs no privilege'),
      },
      mount: { code: 'RequiresRoot', message: `cannot mount ${image}: this requires root`, hint: expect.any(String) },
      left: 1,
    });
    expect(layers).toHaveLength(2);
  });
});
