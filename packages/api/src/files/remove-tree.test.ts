import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FileCall } from './file-call.js';
import { removeSmallTree, removeTree } from './remove-tree.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'remove-tree-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('removes a file, a folder with its content, and nothing beside them', async () => {
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'a', 'b'), { recursive: true });
  mkdirSync(join(tree, 'empty'));
  for (const file of ['1', 'a/2', 'a/b/3']) writeFileSync(join(tree, file), '');
  writeFileSync(join(folder, 'beside'), 'kept');
  await removeTree(join(tree, '1'));
  expect(existsSync(join(tree, '1'))).toBe(false);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(readFileSync(join(folder, 'beside'), 'utf8')).toBe('kept');
});

it('makes the first 64 calls as requested', async () => {
  let calls = 0;
  const call: FileCall = async (direct) => {
    calls += 1;
    return direct();
  };
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'a', 'b'), { recursive: true });
  writeFileSync(join(tree, 'a', 'b', 'file'), '');
  await removeSmallTree(tree, call);
  expect([existsSync(tree), calls < 20]).toEqual([false, true]);
  mkdirSync(tree);
  for (let file = 0; file < 100; file++) writeFileSync(join(tree, `${file}`), '');
  calls = 0;
  await removeSmallTree(tree, call);
  expect([existsSync(tree), calls]).toEqual([false, 64]);
  await removeSmallTree(join(folder, 'missing'), call);
});

it('removes links, not their targets', async () => {
  const target = join(folder, 'target');
  mkdirSync(target);
  writeFileSync(join(target, 'file'), 'kept');
  mkdirSync(join(folder, 'tree'));
  symlinkSync(target, join(folder, 'tree', 'link'));
  symlinkSync(join(folder, 'missing'), join(folder, 'tree', 'dangling'));
  symlinkSync(target, join(folder, 'link'));
  await removeTree(join(folder, 'tree'));
  await removeTree(join(folder, 'link'));
  expect(existsSync(join(folder, 'tree'))).toBe(false);
  expect(readFileSync(join(target, 'file'), 'utf8')).toBe('kept');
});

it('succeeds if the path is missing, and rejects if a parent is no folder', async () => {
  await removeTree(join(folder, 'missing'));
  writeFileSync(join(folder, 'file'), '');
  await expect(removeTree(join(folder, 'file', 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
