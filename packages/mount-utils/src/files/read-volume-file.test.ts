import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readVolumeFile } from './read-volume-file.js';

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
