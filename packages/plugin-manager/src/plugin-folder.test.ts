import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger } from '@nodeagent/testing';
import { expect, it, onTestFinished } from 'vitest';
import { type PluginSocket, pluginFolder } from './plugin-folder.js';

function listen(path: string): Promise<() => Promise<void>> {
  const server = createServer();
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return new Promise((resolve) => server.listen(path, () => resolve(close)));
}

it('finds sockets in subfolders, reports changes, and gives a re-created socket another id', async () => {
  const root = mkdtempSync(join(tmpdir(), 'plugins-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const registry = join(root, 'plugins_registry');
  const folder = pluginFolder(registry);
  let changes = 0;
  onTestFinished(folder.onChange(() => changes++));
  const paths = async () => (await folder.scan()).map(({ path }) => path.slice(registry.length)).sort();
  expect(await paths()).toEqual([]);

  mkdirSync(join(registry, 'sub'));
  writeFileSync(join(registry, 'file.sock'), '');
  await expect.poll(() => changes).toBeGreaterThan(0);
  expect(await paths()).toEqual([]);

  changes = 0;
  const close = await listen(join(registry, 'sub', 'a.sock'));
  await expect.poll(() => changes).toBeGreaterThan(0);
  await listen(join(registry, '.hidden.sock'));
  await listen(join(registry, 'b.sock'));
  expect(await paths()).toEqual(['/b.sock', '/sub/a.sock']);

  const id = async () => (await folder.scan()).find(({ path }) => path.endsWith('a.sock'))?.id;
  const before = await id();
  expect(await id()).toBe(before);
  await close();
  await listen(join(registry, 'sub', 'a.sock'));
  expect(await id()).not.toBe(before);

  rmSync(join(registry, 'sub'), { recursive: true });
  expect(await paths()).toEqual(['/b.sock']);

  rmSync(root, { recursive: true });
  await expect(paths()).rejects.toThrow('ENOENT');
  expect(existsSync(root)).toBe(false);
});

it('skips a looping link, reports it once, and finds all other sockets', async () => {
  const root = mkdtempSync(join(tmpdir(), 'plugins-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'sub'));
  await listen(join(root, 'a.sock'));
  await listen(join(root, 'sub', 'z.sock'));
  symlinkSync('loop.sock', join(root, 'loop.sock'));
  symlinkSync('nowhere.sock', join(root, 'dangling.sock'));
  symlinkSync('.', join(root, 'sub', 'self'));
  const logger = createRecordingLogger();
  const folder = pluginFolder(root, { logger });
  const paths = async () => (await folder.scan()).map(({ path }) => path.slice(root.length)).sort();
  expect(await paths()).toEqual(['/a.sock', '/sub/z.sock']);
  expect(await paths()).toEqual(['/a.sock', '/sub/z.sock']);
  expect(logger.lines).toMatchObject([
    {
      level: 'warn',
      message: 'cannot read a path in the plugin folder',
      fields: { path: join(root, 'loop.sock'), err: { message: expect.stringContaining('ELOOP') } },
    },
  ]);

  rmSync(join(root, 'loop.sock'));
  expect(await paths()).toEqual(['/a.sock', '/sub/z.sock']);
  symlinkSync('loop.sock', join(root, 'loop.sock'));
  await paths();
  expect(logger.lines).toHaveLength(2);
});

it('keeps the sockets of a subfolder while it cannot be read', async () => {
  const root = mkdtempSync(join(tmpdir(), 'plugins-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'sub'));
  await listen(join(root, 'sub', 'a.sock'));
  await listen(join(root, 'b.sock'));
  const logger = createRecordingLogger();
  const folder = pluginFolder(root, { logger });
  const byPath = (a: PluginSocket, b: PluginSocket) => a.path.localeCompare(b.path);
  const sockets = async () => (await folder.scan()).sort(byPath);
  const before = await sockets();
  expect(before).toHaveLength(2);
  const restore = failReading(join(root, 'sub'));
  expect(await sockets()).toEqual(before);
  expect(await sockets()).toEqual(before);
  expect(logger.lines).toMatchObject([{ level: 'warn', fields: { path: join(root, 'sub'), err: { message: 'EIO: i/o error' } } }]);
  restore();
  rmSync(join(root, 'sub'), { recursive: true });
  expect((await sockets()).map(({ path }) => path)).toEqual([join(root, 'b.sock')]);
});

/** Makes reads of this folder fail, also for root, to whom permissions do not apply. */
function failReading(folder: string): () => void {
  const { readdir } = fs;
  const use = (call: unknown) => {
    Object.assign(fs, { readdir: call });
    syncBuiltinESMExports();
  };
  const restore = () => use(readdir);
  onTestFinished(restore);
  use((path: string, options: never) =>
    path === folder ? Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })) : readdir(path, options),
  );
  return restore;
}
