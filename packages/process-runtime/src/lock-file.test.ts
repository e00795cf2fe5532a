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

it('keeps others out until it is given back, and leaves nothing behind', async () => {
  const unlock = await lock();
  await expect(lock()).rejects.toThrow(`held by ${process.pid}`);
  expect(readdirSync(folder)).toEqual(['lock']);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
  (await lock())();
});

it('lets in one of many that come at once, also over a stale lock', async () => {
  writeFileSync(path, JSON.stringify({ pid: 2 ** 22 + 1, startTime: 1 }));
  const results = await Promise.allSettled(Array.from({ length: 20 }, lock));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
  expect(readdirSync(folder)).toEqual(['lock']);
});

it.each([
  ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startTime: 1 })],
  ['another process that got the pid since', JSON.stringify({ pid: process.pid, startTime: 1 })],
  ['nobody: it is damaged', '{"pid":'],
  ['nobody: it is empty', ''],
])('takes over the lock of %s', async (_name, text) => {
  writeFileSync(path, text);
  const unlock = await lock();
  expect(existsSync(path)).toBe(true);
  unlock();
  expect(readdirSync(folder)).toEqual([]);
});

it('passes on what the file system says', async () => {
  await expect(lockFile(join(folder, 'none', 'lock'), () => new Error('held'))).rejects.toMatchObject({ code: 'ENOENT' });
});
