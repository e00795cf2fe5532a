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

it('rejects a second agent until the lock is released', async () => {
  const unlock = await lockRootDir(root);
  await expect(lockRootDir(root)).rejects.toMatchObject({
    code: 'ROOT_DIR_IN_USE',
    message: `--root-dir: ${root} is in use by another agent, process ${process.pid}`,
  });
  unlock();
  expect(readdirSync(root)).toEqual([]);
  (await lockRootDir(root))();
});

it('creates the directory', async () => {
  const unlock = await lockRootDir(join(root, 'a', 'b'));
  expect(existsSync(join(root, 'a', 'b', 'agent.lock'))).toBe(true);
  unlock();
});

it('names the unusable directory', async () => {
  const file = join(root, 'file');
  writeFileSync(file, '');
  await expect(lockRootDir(join(file, 'below'))).rejects.toMatchObject({
    code: 'ROOT_DIR_UNUSABLE',
    message: expect.stringContaining(`--root-dir: cannot use ${file}/below: `),
  });
});
