import { execFileSync } from 'node:child_process';
import { closeSync, constants, linkSync, lstatSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '@nodeagent/api/files';
import { expect, it, onTestFinished } from 'vitest';
import { countInThread, diskUsage } from './disk-usage.js';
import { createVolumeMeter } from './volume-meter.js';

const { signal } = new AbortController();

function tempRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'usage-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

it('counts the content of a folder as du does: a file with two hard links once, symbolic links as themselves', async () => {
  const root = tempRoot();
  const elsewhere = tempRoot();
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'sub/big'), Buffer.alloc(100_000));
  linkSync(join(root, 'sub/big'), join(root, 'same'));
  writeFileSync(join(elsewhere, 'other'), Buffer.alloc(1_000_000));
  symlinkSync(elsewhere, join(root, 'link'));

  const entries = ['', 'sub', 'sub/big', 'link'].map((name) => lstatSync(join(root, name), { bigint: true }));
  const bytes = entries.reduce((sum, { blocks }) => sum + blocks * 512n, 0n);
  expect(bytes).toBeGreaterThan(100_000n);
  expect(await diskUsage(root, signal)).toEqual({ bytes, inodes: 4n });
  expect(await countInThread(root, signal)).toEqual({ bytes, inodes: 4n });
  expect(await createVolumeMeter().folder(root, signal)).toMatchObject({ usedBytes: bytes, inodesUsed: 4n });
});

it('stops when its signal aborts, and rejects for a missing folder', async () => {
  const root = tempRoot();
  await expect(diskUsage(root, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  await expect(diskUsage(join(root, 'absent'), signal)).rejects.toThrow('ENOENT');
  await expect(countInThread(root, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  await expect(countInThread(join(root, 'absent'), signal)).rejects.toMatchObject({ code: 'ENOENT' });
});

/** A folder with more entries than are counted without a thread, many of them links to one file. */
function largeFolder(): string {
  const root = tempRoot();
  for (let each = 0; each < 100; each++) writeFileSync(join(root, `file-${each}`), '');
  for (let each = 0; each < 200; each++) linkSync(join(root, 'file-0'), join(root, `link-${each}`));
  return root;
}

it('leaves the count of a large folder to a thread, which counts the same', async () => {
  const root = largeFolder();
  const roots: string[] = [];
  const counted = await diskUsage(root, signal, async (each, own) => {
    roots.push(each);
    return countInThread(each, own);
  });
  expect(roots).toEqual([root]);
  expect(counted.inodes).toBe(101n);
  const du = execFileSync('du', ['-s', '--block-size=1', root], { encoding: 'utf8' });
  expect(counted.bytes).toBe(BigInt(du.split('\t')[0] ?? ''));
});

it('counts one large folder at a time, also after one that cannot be counted', async () => {
  const [first, second] = [largeFolder(), largeFolder()];
  const meter = createVolumeMeter();
  const controller = new AbortController();
  const aborted = meter.folder(first, controller.signal);
  const counted = meter.folder(second, signal);
  controller.abort(new Error('enough'));
  await expect(aborted).rejects.toThrow('enough');
  expect((await counted).inodesUsed).toBe(101n);
});

it('counts content that no path can name', async () => {
  const root = tempRoot();
  const { bytes } = await diskUsage(root, signal);
  const name = 'd'.repeat(100);
  let fd = openSync(root, constants.O_RDONLY | constants.O_DIRECTORY);
  for (let level = 0; level < 60; level++) {
    mkdirSync(`/proc/self/fd/${fd}/${name}`);
    const child = openSync(`/proc/self/fd/${fd}/${name}`, constants.O_RDONLY | constants.O_DIRECTORY);
    closeSync(fd);
    fd = child;
  }
  writeFileSync(`/proc/self/fd/${fd}/hidden`, Buffer.alloc(5 << 20));
  closeSync(fd);
  for (const count of [diskUsage, countInThread]) {
    const usage = await count(root, signal);
    expect(usage.inodes).toBe(62n);
    expect(usage.bytes - bytes).toBeGreaterThanOrEqual(BigInt(5 << 20));
  }
  await removeTree(join(root, name));
});
