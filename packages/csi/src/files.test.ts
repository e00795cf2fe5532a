import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createVolumeFiles } from './files.js';

it('finds a mounted path by the mount table alone: the server of the volume may be lost', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'csi-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mounted = join(folder, 'mounted');
  const files = createVolumeFiles(async (path) => path === mounted);
  // It is in the table only, so a call to the path would not find it.
  expect(await files.exists(mounted)).toBe(true);
  expect(await files.exists(folder)).toBe(true);
  expect(await files.exists(join(folder, 'missing'))).toBe(false);
});
