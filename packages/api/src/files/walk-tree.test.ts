import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from './remove-tree.js';
import { walkTree } from './walk-tree.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'walk-tree-'));
});
// Programs of the system remove what the code under test might leave: Node's own `rm` cannot.
afterEach(() => execFileSync('rm', ['-rf', folder]));

/** Folders in each other, deeper than any path can name, as a process in a container can create them. */
function makeDeep(root: string, depth: number, name = 'd'.repeat(100)): void {
  let fd = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (let level = 0; level < depth; level++) {
    mkdirSync(`/proc/self/fd/${fd}/${name}`);
    writeFileSync(`/proc/self/fd/${fd}/beside`, '');
    mkdirSync(`/proc/self/fd/${fd}/sibling`);
    const child = openSync(`/proc/self/fd/${fd}/${name}`, constants.O_RDONLY | constants.O_DIRECTORY);
    closeSync(fd);
    fd = child;
  }
  closeSync(fd);
}

const openFiles = () => readdirSync('/proc/self/fd').length;

it('visits each entry once, the content of a folder before the folder, and the root last', async () => {
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  for (const file of ['1', 'a/2', 'a/b/3']) writeFileSync(join(folder, file), '');
  symlinkSync('/etc', join(folder, 'a/link'));
  const visited: string[] = [];
  await walkTree(folder, async ({ place, kind }) => {
    visited.push(`${kind} ${basename(place)}`);
  });
  expect([...visited].sort()).toEqual(
    ['folder a', 'folder b', `folder ${basename(folder)}`, 'other 1', 'other 2', 'other 3', 'other link'].sort(),
  );
  expect(visited.at(-1)).toBe(`folder ${basename(folder)}`);
  expect(visited.indexOf('folder b')).toBeGreaterThan(visited.indexOf('other 3'));
  expect(visited.indexOf('folder a')).toBeGreaterThan(visited.indexOf('folder b'));
});

it('walks a tree that is deeper than PATH_MAX and than the folders it keeps open, and leaves no file open', async () => {
  makeDeep(folder, 120);
  const before = openFiles();
  let most = 0;
  let visited = 0;
  await walkTree(folder, async ({ place }) => {
    most = Math.max(most, openFiles());
    await lstat(place);
    visited++;
  });
  expect(visited).toBe(120 * 3 + 1);
  expect(most - before).toBeLessThan(80);
  expect(openFiles()).toBe(before);
});

it('removes such a tree', async () => {
  makeDeep(folder, 120);
  await removeTree(folder);
  expect(existsSync(folder)).toBe(false);
});

it('does not follow a folder that became a link after it was listed', async () => {
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'kept');
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'b/inner'), { recursive: true });
  writeFileSync(join(tree, 'a'), '');
  const visited: string[] = [];
  await walkTree(tree, async ({ place, kind }) => {
    visited.push(`${kind} ${basename(place)}`);
    if (!existsSync(join(tree, 'b'))) return;
    renameSync(join(tree, 'b'), join(folder, `away-${visited.length}`));
    symlinkSync(outside, join(tree, 'b'));
  });
  expect(visited).not.toContain('other file');
});

it('rejects with ESTALE if a folder moves away while the walk is deep in it', async () => {
  makeDeep(folder, 50, 'deep');
  let isMoved = false;
  const walk = walkTree(folder, async () => {
    if (isMoved) return;
    isMoved = true;
    renameSync(join(folder, 'deep/deep'), join(folder, 'moved'));
  });
  await expect(walk).rejects.toMatchObject({ code: 'ESTALE' });
});

it('names the path of the entry in an error, and rejects for a missing root', async () => {
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/b/c'), '');
  const failing = walkTree(folder, async ({ place, kind }) => {
    if (kind === 'other') throw new Error(`EIO: cannot read ${place}`);
  });
  await expect(failing).rejects.toThrow(`EIO: cannot read ${join(folder, 'a/b/c')}`);
  await expect(walkTree(join(folder, 'missing'), async () => {})).rejects.toMatchObject({ code: 'ENOENT' });
});

it('stops when its signal aborts, without an open file', async () => {
  makeDeep(folder, 10);
  const before = openFiles();
  const controller = new AbortController();
  const walk = walkTree(folder, async () => controller.abort(new Error('enough')), controller.signal);
  await expect(walk).rejects.toThrow('enough');
  expect(openFiles()).toBe(before);
});
