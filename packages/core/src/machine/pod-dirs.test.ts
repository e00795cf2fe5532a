import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryPodDirs } from '../host/memory-pod-dirs.js';
import { createPodDirs, parseMountPoints } from './pod-dirs.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pod-dirs-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const uid = '0af3-uid';

describe('folders on disk', () => {
  it('are private to their owner; creation, listing and removal are idempotent', async () => {
    const dirs = createPodDirs(root);
    expect(await dirs.list()).toEqual([]);
    await dirs.create(uid);
    await dirs.create(uid);
    expect(dirs.podDir(uid)).toBe(join(root, 'pods', uid));
    expect(await dirs.list()).toEqual([uid]);
    expect(statSync(join(dirs.podDir(uid), 'volumes')).mode & 0o027).toBe(0);
    writeFileSync(join(dirs.podDir(uid), 'etc-hosts'), 'x');
    mkdirSync(join(dirs.podDir(uid), 'volumes', 'kubernetes.io~empty-dir'));
    expect([await dirs.remove(uid), await dirs.remove(uid)]).toEqual([true, true]);
    expect(await dirs.list()).toEqual([]);
  });

  it('are kept while they contain a volume of any kind', async () => {
    const dirs = createPodDirs(root);
    await dirs.create(uid);
    const volume = join(dirs.podDir(uid), 'volumes', 'kubernetes.io~empty-dir', 'data');
    mkdirSync(volume, { recursive: true });
    writeFileSync(join(volume, 'file'), '');
    expect([await dirs.remove(uid), await dirs.list()]).toEqual([false, [uid]]);
    rmSync(volume, { recursive: true });
    writeFileSync(join(dirs.podDir(uid), 'volumes', 'file'), '');
    expect(await dirs.remove(uid)).toBe(false);
  });

  it('are removed with empty volume directories, but not with mounts below them', async () => {
    const mounted: string[] = [];
    const dirs = createPodDirs(root, () => mounted);
    await dirs.create(uid);
    const below = join(dirs.podDir(uid), 'volume-subpaths', 'data');
    for (const path of [below, join(dirs.podDir(uid), 'volumes', 'kubernetes.io~empty-dir', 'data')]) mkdirSync(path, { recursive: true });
    mounted.push(below, join(root, 'pods', `${uid}0`));
    expect([await dirs.remove(uid), statSync(below).isDirectory()]).toEqual([false, true]);
    mounted.shift();
    expect([await dirs.remove(uid), await dirs.list()]).toEqual([true, []]);
  });

  it('unescape mount points', () => {
    const line = (path: string) => `36 35 98:0 /mnt1 ${path} rw,noatime master:1 - ext3 /dev/root rw\n`;
    expect(parseMountPoints(line('/a\\040b') + line('/c'))).toEqual(['/a b', '/c']);
  });

  it.each(['', '.', '..', '../x', 'a/b', '-a', 'a\0b', 'x'.repeat(254)])('are rejected for the UID %j', async (bad) => {
    const dirs = createPodDirs(root);
    expect(() => dirs.podDir(bad)).toThrow('is not a valid directory name');
    await expect(dirs.create(bad)).rejects.toMatchObject({ code: 'InvalidPodUID' });
    await expect(dirs.remove(bad)).rejects.toMatchObject({ code: 'InvalidPodUID' });
  });

  it('report what blocks their creation', async () => {
    writeFileSync(join(root, 'pods'), '');
    const dirs = createPodDirs(root);
    await expect(dirs.create(uid)).rejects.toThrow(/ENOTDIR|EEXIST/);
    await expect(dirs.list()).rejects.toThrow('ENOTDIR');
  });
});

it('folders in memory are removed with the files in them', async () => {
  const removed: string[] = [];
  const dirs = createMemoryPodDirs({ remove: async (path) => void removed.push(path) });
  await dirs.create('a');
  expect([await dirs.list(), await dirs.remove('a'), await dirs.list()]).toEqual([['a'], true, []]);
  expect(removed).toEqual(['/pods/a']);
});
