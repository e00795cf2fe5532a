import { defineConfig } from 'tsup';

/**
 * The one build of every package; `packages/<name>/tsup.config.ts` re-exports it and tsup runs in the package's folder.
 * ES modules and CommonJS with types for each. p-queue is bundled: it is ESM-only with a default export, which esbuild's
 * CommonJS output cannot call (docs/decisions/0003-dual-builds.md).
 */
export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  tsconfig: '../../tsconfig.build.json',
  dts: process.env.NODEAGENT_BUILD_TYPES !== '0',
  clean: true,
  sourcemap: true,
  splitting: false,
  treeshake: true,
  noExternal: ['p-queue'],
  silent: true,
});
