import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { entriesOf } from './scripts/lib/entries.mjs';
import { importByRequire } from './scripts/lib/import-by-require.mjs';
import { spreadIntoEmpty } from './scripts/lib/spread-into-empty.mjs';
import { thirdPartyNotices } from './scripts/lib/third-party-notices.mjs';

const entries = entriesOf(JSON.parse(readFileSync('package.json', 'utf8')));

/**
 * The one build of every package's JavaScript; `packages/<name>/tsup.config.ts` re-exports it or extends it, and tsup runs in the
 * package's folder. ES modules and CommonJS for each entry that package.json exports. Entries share their code: what two of them import
 * is a chunk that is loaded once (docs/decisions/0036-export-pure-functions-as-decisions.md). A devDependency that the sources import is bundled,
 * with its licence: p-queue is ESM-only with a default export, which esbuild's CommonJS output cannot call
 * (docs/decisions/0003-ship-es-modules-and-commonjs.md). CommonJS requires what it loads lazily
 * (docs/decisions/0105-require-in-commonjs.md). Objects are copied into an empty one
 * (docs/decisions/0142-copy-objects-into-an-empty-one.md). There are no source maps (docs/decisions/0039-publish-no-source-maps.md). Names of Node's modules keep
 * `node:`, by which bundlers know them. The declarations are built by scripts/lib/declarations.mjs
 * (docs/decisions/0041-emit-declarations-with-the-native-compiler.md).
 */
export default defineConfig({
  entry: entries.map(({ source }) => source),
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  tsconfig: '../../tsconfig.build.json',
  splitting: entries.length > 1,
  treeshake: true,
  removeNodeProtocol: false,
  esbuildPlugins: [thirdPartyNotices()],
  plugins: [importByRequire(), spreadIntoEmpty()],
  silent: true,
  // One process builds all packages, and esbuild keeps the folder it was loaded in.
  esbuildOptions(options, { format }) {
    options.absWorkingDir = process.cwd();
    // CommonJS has `__filename` instead, which the sources use where it exists.
    if (format === 'cjs') options.define = { ...options.define, 'import.meta.url': 'undefined' };
  },
});
