import { readFileSync } from 'node:fs';
import { defineConfig } from 'tsup';
import { entriesOf } from './scripts/lib/entries.mjs';
import { thirdPartyNotices } from './scripts/lib/third-party-notices.mjs';

const entries = entriesOf(JSON.parse(readFileSync('package.json', 'utf8')));

/**
 * The one build of every package; `packages/<name>/tsup.config.ts` re-exports it and tsup runs in the package's folder.
 * ES modules and CommonJS with types for each entry that package.json exports. Entries share their code: what two of them import is a
 * chunk that is loaded once (docs/decisions/0036-decisions-have-a-subpath.md). A devDependency
 * that the sources import is bundled, with its licence: p-queue is ESM-only with a default export, which esbuild's CommonJS output cannot
 * call (docs/decisions/0003-dual-builds.md). No source maps (docs/decisions/0039-no-source-maps.md), and `node:` stays in the names of
 * Node's modules, which is how bundlers know them.
 */
export default defineConfig({
  entry: entries.map(({ source }) => source),
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'node',
  tsconfig: '../../tsconfig.build.json',
  dts: process.env.NODEAGENT_BUILD_TYPES !== '0',
  clean: true,
  splitting: entries.length > 1,
  treeshake: true,
  removeNodeProtocol: false,
  esbuildPlugins: [thirdPartyNotices()],
  silent: true,
});
