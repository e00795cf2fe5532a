import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { pathInRoot } from './path-in-root.js';
import { readRootFile, readVolumeFile } from './read-volume-file.js';

it('reads files through links in the volume, and nothing outside the volume', async () => {
  const root = mkdtempSync(join(tmpdir(), 'volume-file-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const volume = join(root, 'volume');
  mkdirSync(join(volume, '..data'), { recursive: true });
  writeFileSync(join(volume, '..data/env'), "A='1'\n");
  symlinkSync('..data/env', join(volume, 'env'));
  writeFileSync(join(root, 'secret'), 'secret');
  symlinkSync('../secret', join(volume, 'out'));
  writeFileSync(join(volume, 'large'), '');
  truncateSync(join(volume, 'large'), 2 ** 21);

  expect(await readVolumeFile(volume, 'env')).toBe("A='1'\n");
  expect(await readVolumeFile(volume, 'none/env')).toBeUndefined();
  for (const path of ['out', '../secret', '..data', 'large']) {
    await expect(readVolumeFile(volume, path)).rejects.toMatchObject({ code: 'UnsafePath' });
  }
});

it('reads files of a root file system through links as a container does', async () => {
  const root = mkdtempSync(join(tmpdir(), 'root-file-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'store/sub'), { recursive: true });
  mkdirSync(join(root, 'etc'));
  writeFileSync(join(root, 'store/passwd'), 'root\n');
  const links = {
    passwd: '/store/passwd',
    up: '../../../../store/passwd',
    folder: '/store/sub',
    loop: 'loop',
    dangling: '/none',
    text: '/store/passwd/',
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, 'etc', name));

  for (const path of ['etc/passwd', '/etc/up', 'etc/folder/../passwd', '../etc/./passwd'])
    expect(await readRootFile(root, path), path).toBe('root\n');
  expect(await pathInRoot(root, 'etc/folder')).toBe(join(root, 'store/sub'));
  for (const path of ['none', 'etc/dangling', 'etc/none/x']) expect(await readRootFile(root, path), path).toBeUndefined();
  for (const path of ['etc/loop', 'etc', 'etc/passwd/x'])
    await expect(readRootFile(root, path), path).rejects.toMatchObject({ code: 'UnsafePath' });
});
