import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** Bundles an entry from its sources: the modules of Node that it imports, directly or not, and its code. */
async function bundle(entry: string) {
  const { metafile, outputFiles } = await build({
    entryPoints: [new URL(entry, import.meta.url).pathname],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    external: ['node:*'],
    metafile: true,
    write: false,
  });
  const imports = Object.entries(metafile.inputs).flatMap(([file, { imports }]) => imports.map(({ path }) => ({ file, path })));
  return { ofNode: imports.filter(({ path }) => path.startsWith('node:')), code: outputFiles[0]?.text ?? '' };
}

describe.each([
  ['index.ts', 4],
  ['helpers.ts', 23],
])('%s', (entry, maxKiB) => {
  it(`imports nothing of Node, also not through other modules, and has at most ${maxKiB} KiB`, async () => {
    const { ofNode, code } = await bundle(entry);
    expect(ofNode).toEqual([]);
    expect(code).not.toMatch(/\b(Buffer|require)\b/);
    expect(gzipSync(code).length).toBeLessThanOrEqual(maxKiB * 1024);
  });
});

it('files.ts imports modules of Node', async () => {
  expect((await bundle('files.ts')).ofNode).toContainEqual({ file: expect.stringContaining('replace-file.ts'), path: 'node:fs/promises' });
});
