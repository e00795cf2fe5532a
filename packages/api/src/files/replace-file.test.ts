import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { replaceFile } from './replace-file.js';

const folder = mkdtempSync(join(tmpdir(), 'replace-file-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('creates folders and a file for the owner only, and replaces the file', async () => {
  const path = join(folder, 'deep', 'state');
  await replaceFile(path, 'one');
  await replaceFile(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'deep')).mode & 0o027).toBe(0);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['state']);
});

it('leaves no temporary file if writing fails', async () => {
  const path = join(folder, 'state');
  mkdirSync(join(path, 'in the way'), { recursive: true });
  await expect(replaceFile(path, 'one')).rejects.toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
  expect(readdirSync(folder)).toEqual(['state']);
  writeFileSync(join(folder, 'file'), '');
  await expect(replaceFile(join(folder, 'file', 'state'), 'one')).rejects.toThrow(/ENOTDIR|EEXIST/);
});
