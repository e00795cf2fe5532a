import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it.each([
  ['index.ts', 15_000],
  ['health.ts', 3_000],
  ['tables.ts', 11_500],
  ['resources.ts', 5_000],
  ['timeline.ts', 1_500],
  ['cluster.ts', 10_500],
])('%s bundles for a browser without shims, with all it imports in at most %i bytes of gzip', async (entry, maxBytes) => {
  const entryPoints = [new URL(entry, import.meta.url).pathname];
  const { outputFiles, errors } = await build({
    entryPoints,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
  });
  expect(errors).toEqual([]);
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(maxBytes);
});
