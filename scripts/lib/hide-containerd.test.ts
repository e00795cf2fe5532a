import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hideContainerd } from './hide-containerd.mjs';

const before = process.env.PATH;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'path-'));
});
afterEach(() => {
  process.env.PATH = before;
  rmSync(folder, { recursive: true });
});

it('leaves a PATH, for every user, with all programs except those of containerd', () => {
  for (const name of ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc', 'sh']) writeFileSync(join(folder, name), '');
  process.env.PATH = [folder, join(folder, 'missing'), before].join(delimiter);
  hideContainerd();
  const found = (name: string) => (process.env.PATH ?? '').split(delimiter).some((dir) => existsSync(join(dir, name)));
  expect(['runc', 'sh', 'env'].map(found)).toEqual([true, true, true]);
  expect(['containerd', 'containerd-shim-runc-v2', 'ctr'].map(found)).toEqual([false, false, false]);
  expect(statSync(process.env.PATH ?? '').mode & 0o777).toBe(0o755);
  rmSync(process.env.PATH ?? '', { recursive: true });
});
