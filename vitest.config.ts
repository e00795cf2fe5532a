import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { entriesOf } from './scripts/lib/entries.mjs';

const packagesDir = fileURLToPath(new URL('./packages', import.meta.url));

const aliasesOf = (dir: string) =>
  entriesOf(JSON.parse(readFileSync(`${dir}/package.json`, 'utf8'))).map(({ id, source }) => [id, `${dir}/${source}`] as const);

/** Tests run on the sources: no build comes before them. Subpaths are first, for a package's name matches them too. */
export const sourceAliases = Object.fromEntries(
  readdirSync(packagesDir)
    .map((name) => `${packagesDir}/${name}`)
    .filter((dir) => existsSync(`${dir}/package.json`))
    .flatMap(aliasesOf)
    .sort(([a], [b]) => b.length - a.length),
);

/** A failure far away has only its message. Values up to this length are in it, by default up to 40 characters. */
export const wholeMessages = { truncateThreshold: 2_000 };

export default defineConfig({
  resolve: { alias: sourceAliases },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'tests/**/*.test.ts',
      'scripts/**/*.test.ts',
      'examples/**/*.test.ts',
      'docs/playground/**/*.test.ts',
    ],
    // They are of other runners, which run them from installed packages.
    exclude: ['tests/projects/**', '**/node_modules/**'],
    // A hang ends here, not a slow machine: time in tests is virtual.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    chaiConfig: wholeMessages,
    // No package has state in its modules, so test files can share them: three times as fast.
    isolate: false,
    // By default one core is left idle, which on a small machine is half of them.
    maxWorkers: '100%',
  },
});
