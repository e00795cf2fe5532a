import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { pluginFolder } from './plugin-folder.js';

function listen(path: string): Promise<() => Promise<void>> {
  const server = createServer();
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(close);
  return new Promise((resolve) => server.listen(path, () => resolve(close)));
}

it('finds sockets in a tree, tells of changes, and knows a socket that was made anew', async () => {
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
