import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { compileCacheFolder, enableCompileCache, isPrivate, removeOtherCaches } from './compile-cache.js';

const uid = process.getuid?.() ?? 0;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("keeps root's code below /var/cache, whatever the environment names", () => {
  const env = { HOME: '/home/user', XDG_CACHE_HOME: '/home/user/caches' };
  expect(compileCacheFolder(env, true)).toBe('/var/cache/nodeagent/compile-cache');
});

it("keeps a user's code in the cache folder of the user", () => {
  expect(compileCacheFolder({ HOME: '/home/user', XDG_CACHE_HOME: '/caches' }, false)).toBe('/caches/nodeagent/compile-cache');
  expect(compileCacheFolder({ HOME: '/home/user' }, false)).toBe('/home/user/.cache/nodeagent/compile-cache');
  expect(compileCacheFolder({}, false)).toBeUndefined();
});

it('uses the cache folder of a systemd unit', () => {
  expect(compileCacheFolder({ CACHE_DIRECTORY: '/var/cache/other' }, true)).toBe('/var/cache/other/compile-cache');
});

it('trusts a folder that only its user can change', () => {
  const folder = join(temporaryFolder(), 'cache');
  mkdirSync(folder, { mode: 0o700 });
  expect(isPrivate(folder, uid)).toBe(true);
  expect(isPrivate(folder, uid + 1)).toBe(uid === 0);
});

it('trusts no folder that others can write to, or that is below one', () => {
  const folder = temporaryFolder();
  const inner = join(folder, 'cache');
  mkdirSync(inner, { mode: 0o700 });
  chmodSync(folder, 0o777);
  expect(isPrivate(inner, uid)).toBe(false);
  chmodSync(folder, 0o1777);
  expect(isPrivate(inner, uid)).toBe(true);
  expect(isPrivate(folder, uid)).toBe(false);
});

it('starts without a cache where its folder cannot be created', () => {
  expect(() => enableCompileCache('run', { CACHE_DIRECTORY: '/dev/null' })).not.toThrow();
});

it('removes the code of other versions of Node, and keeps that of this one', async () => {
  const folder = temporaryFolder();
  for (const version of ['v22', 'v24', 'v26']) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, 'code'), '');
  }
  await removeOtherCaches(join(folder, 'v24'));
  expect(readdirSync(folder, { recursive: true })).toEqual(['v24', 'v24/code']);
});
