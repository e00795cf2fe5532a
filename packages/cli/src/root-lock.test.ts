import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { lockRootDir } from './root-lock.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nodeagent-lock-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('keeps a second agent out until it is given back', () => {
  const unlock = lockRootDir(root);
  expect(() => lockRootDir(root)).toThrow(
    expect.objectContaining({ code: 'ROOT_DIR_IN_USE', message: `--root-dir: ${root} is in use by another agent, process ${process.pid}` }),
  );
  unlock();
  expect(readdirSync(root)).toEqual([]);
  lockRootDir(root)();
});

it('makes the folder', () => {
  const unlock = lockRootDir(join(root, 'a', 'b'));
  expect(existsSync(join(root, 'a', 'b', 'agent.lock'))).toBe(true);
  unlock();
});

it.each([
  ['a process that is gone', JSON.stringify({ pid: 2 ** 22 + 1, startTime: '1' })],
  ['another process that got the pid since', JSON.stringify({ pid: process.pid, startTime: '1' })],
  ['nobody: it is damaged', '{"pid":'],
])('takes over the lock of %s', (_name, text) => {
  writeFileSync(join(root, 'agent.lock'), text);
  lockRootDir(root)();
  expect(readdirSync(root)).toEqual([]);
});
