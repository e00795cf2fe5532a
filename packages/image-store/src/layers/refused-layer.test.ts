import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { defaultLayerLimits } from './rewrite-layer.js';
import { testTar } from './test-tar.js';
import { unpackLayer } from './unpack-layer.js';

it.runIf(process.getuid?.() === 0)('closes the file of a layer that it refuses', async () => {
  const root = await mkdtemp(join(tmpdir(), 'layers-'));
  const blobPath = join(root, 'blob');
  await mkdir(join(root, 'layer'));
  const archive = await testTar({ name: '../a' }, { name: 'b', content: 'x'.repeat(5_000_000) });
  await writeFile(blobPath, archive);
  const diffId = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
  const unpacking = unpackLayer({ blobPath, diffId, below: [] }, join(root, 'layer'), defaultLayerLimits, new AbortController().signal);
  await expect(unpacking).rejects.toThrow('has .. in its name');
  const open = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  expect(open).not.toContain(blobPath);
  await rm(root, { recursive: true });
});
