import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockFile } from './lock-file.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'nodeagent-lock-'));
  path = join(folder, 'lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const lock = () => lockFile(path, (pid) => new Error(`held by ${pid}`));

it('is exclusive until it is released, and leaves no files', async () => {
  const unlock = await lock();
  await expect(lock()).rejects.toThrow(`held by ${process.pid}`);
  expect(readdirSync(folder)).toEqual(['lock']);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
  (await lock())();
});

it('is granted to one of many concurrent callers, also over a stale lock', async () => {
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, startTime: 1 }));
  const results = await Promise.allSettled(Array.from({ length: 20 }, lock));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(readdirSync(folder)).toEqual(['lock']);
});

it.each([
  ['a process that has exited', JSON.stringify({ pid: 2 ** 22 + 1, startTime: 1 })],
  ['a process whose pid was reused', JSON.stringify({ pid: process.pid, startTime: 1 })],
  ['an unknown process: the file is damaged', '{"pid":'],
  ['an unknown process: the file is empty', ''],
])('replaces the lock of %s', async (_name, text) => {
  writeFileSync(path, text);
  const unlock = await lock();
  expect(existsSync(path)).toBe(true);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});

it('rejects with the error of the file system', async () => {
  await expect(lockFile(join(folder, 'none', 'lock'), () => new Error('held'))).rejects.toMatchObject({ code: 'ENOENT' });
});
