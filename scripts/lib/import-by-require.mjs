import { readFileSync, writeFileSync } from 'node:fs';
import { transform } from 'esbuild';

/**
 * A tsup plugin that replaces `import()` in CommonJS output by a promise of `require()`, which loads no earlier. `import()` needs a callback
 * of the program that runs the file, and Jest has none without a flag of Node. It changes written files because tsup runs its plugins
 * before Rollup, which keeps `import()`.
 */
export function importByRequire() {
  return {
    name: 'import-by-require',
    async buildEnd({ writtenFiles }) {
      for (const { name } of writtenFiles.filter(({ name }) => name.endsWith('.cjs'))) {
        const written = readFileSync(name, 'utf8');
        if (!written.includes('import(')) continue;
        const { code } = await transform(written, { format: 'cjs', platform: 'node', supported: { 'dynamic-import': false } });
        writeFileSync(name, code);
      }
    },
  };
}
