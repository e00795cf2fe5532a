import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unlinkIfExists, unlinkIfExistsSync } from './unlink-if-exists.js';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'unlink-if-exists-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['unlinkIfExists', unlinkIfExists],
  ['unlinkIfExistsSync', async (path: string) => unlinkIfExistsSync(path)],
])('%s removes a FIFO, after which a package behind a symlink still loads with its dependencies', async (_name, remove) => {
  const write = (path: string, text: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('store/node_modules/outer/index.js', "module.exports = require('inner');");
  write('store/node_modules/inner/index.js', "module.exports = 'the dependency';");
  write('app/node_modules/other.js', '');
  symlinkSync(join(folder, 'store/node_modules/outer'), join(folder, 'app/node_modules/outer'));
  const load = createRequire(join(folder, 'app/main.js'));
  // The loader now knows the folders on the way, which is when it relies on the last inspection.
  load('./node_modules/other.js');

  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  await remove(fifo);
  expect(load('outer')).toBe('the dependency');
  expect(existsSync(fifo)).toBe(false);
});

it('does nothing if the file is missing, and rejects with any other error', async () => {
  await unlinkIfExists(join(folder, 'missing'));
  unlinkIfExistsSync(join(folder, 'missing'));
  await expect(unlinkIfExists(folder)).rejects.toThrow(/EISDIR|EPERM/);
  expect(() => unlinkIfExistsSync(folder)).toThrow(/EISDIR|EPERM/);
});
