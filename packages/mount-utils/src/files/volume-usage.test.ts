import { closeSync, constants, linkSync, lstatSync, mkdirSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree } from '@nodeagent/api';
import { expect, it, onTestFinished } from 'vitest';
import { diskUsage, folderUsage } from './volume-usage.js';

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
  expect(await folderUsage(root, signal)).toMatchObject({ usedBytes: bytes, inodesUsed: 4n });
});

it('stops when its signal aborts, and rejects for a missing folder', async () => {
  const root = tempRoot();
  await expect(diskUsage(root, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  await expect(diskUsage(join(root, 'absent'), signal)).rejects.toThrow('ENOENT');
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
  const usage = await diskUsage(root, signal);
  expect(usage.inodes).toBe(62n);
  expect(usage.bytes - bytes).toBeGreaterThanOrEqual(BigInt(5 << 20));
  await removeTree(join(root, name));
});
