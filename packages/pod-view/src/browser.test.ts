import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it('bundles for a browser without shims, in at most 15 KiB', async () => {
  const entryPoints = [new URL('index.ts', import.meta.url).pathname];
  const { outputFiles, errors } = await build({
    entryPoints,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
  });
  expect(errors).toEqual([]);
  const [code] = outputFiles;
  expect(code?.text).toContain('Init:');
  expect(gzipSync(code?.contents ?? '').length).toBeLessThanOrEqual(15 * 1024);
});
