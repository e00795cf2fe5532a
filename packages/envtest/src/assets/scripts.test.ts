import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { assetScripts } from './scripts.js';

const folder = mkdtempSync(join(tmpdir(), "envtest's scripts-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Prints its name and its arguments instead of running them. */
const echo = '#!/bin/sh\nfor word in "$@"; do printf "[%s]" "$word"; done\n';
const program = (...path: string[]) => {
  writeFileSync(join(folder, ...path), echo, { mode: 0o755 });
  return join(folder, ...path);
};

beforeAll(() => {
  for (const dir of ['assets', 'other', 'bin']) mkdirSync(join(folder, dir));
  const scripts = assetScripts({ node: program('node'), programs: join(folder, 'dist'), choice: { nodes: 2 } });
  for (const dir of ['assets', 'other'])
    for (const [name, text] of Object.entries(scripts)) writeFileSync(join(folder, dir, name), text, { mode: 0o755 });
});

const run = (name: string, args: string[], PATH = '') =>
  execFileSync(join(folder, 'assets', name), args, { encoding: 'utf8', env: { PATH } });

it('start the programs with all arguments, also in folders with quotes and spaces', () => {
  expect(run('etcd', ['--a=b c', "d'e"])).toBe(`[${folder}/dist/etcd.js][--a=b c][d'e]`);
  expect(run('kube-apiserver', ['--x'])).toBe(`[${folder}/dist/kube-apiserver.js][{"nodes":2}][--x]`);
});

it('become the kubectl on PATH, and never each other', () => {
  const dirs = ['assets', 'other'].map((dir) => join(folder, dir));
  expect(run('kubectl', ['get', 'a b'], dirs.join(':'))).toBe(`[${folder}/dist/kubectl.js][get][a b]`);
  program('bin', 'kubectl');
  expect(run('kubectl', ['get', 'a b'], [...dirs.slice(0, 1), join(folder, 'bin')].join(':'))).toBe('[get][a b]');
});
