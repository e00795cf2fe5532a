import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type File, Instrumenter } from '@stryker-mutator/instrumenter';
import { type BuildOptions, build } from 'esbuild';
import type { Mutant } from './mutant.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** Sources with decisions: all packages except those for tests, without generated files. */
const isMutated = (path: string) => /^packages\/(?!testing\/|memory-runtime\/|test-|compliance\/|cri-api\/)[^/]+\/src\//.test(path);

const bundleOptions = {
  absWorkingDir: root,
  entryPoints: [fileURLToPath(new URL('./bundle-entry.ts', import.meta.url))],
  tsconfig: join(root, 'tsconfig.json'),
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  define: { 'import.meta.url': '__filename' },
  metafile: true,
  write: false,
  logLevel: 'error',
} satisfies BuildOptions;

/** The adapters and the packages that they replay as one CommonJS text with a switch for every mutant, and the mutants. */
export async function buildMutatedBundle(): Promise<{ code: string; mutants: Mutant[] }> {
  const { metafile } = await build(bundleOptions);
  const names = Object.keys(metafile.inputs).filter(isMutated).sort();
  const sources = new Map(names.map((name) => [name, readFileSync(join(root, name), 'utf8')]));
  const files: File[] = names.map((name) => ({ name, mutate: true, content: sources.get(name) ?? '' }));
  const instrumented = await new Instrumenter(silent).instrument(files, { plugins: null, ignorers: [], excludedMutations: [] });

  const texts = new Map(instrumented.files.map(({ name, content }) => [name, content]));
  const { outputFiles } = await build({
    ...bundleOptions,
    plugins: [
      {
        name: 'instrumented',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const contents = texts.get(relative(root, resolve(path)));
            return contents === undefined ? undefined : { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  const mutants = instrumented.mutants.map(({ id, fileName, mutatorName, replacement, location: { start, end } }) => {
    const source = sources.get(fileName) ?? '';
    const range = { start: offsetOf(source, start), end: offsetOf(source, end) };
    return { id, file: fileName, source, operator: mutatorName, ...range, original: source.slice(range.start, range.end), replacement };
  });
  return { code: outputFiles[0]?.text ?? '', mutants };
}

const nothing = () => {};
const disabled = () => false;
const silent = {
  ...{ trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing },
  ...{ isTraceEnabled: disabled, isDebugEnabled: disabled, isInfoEnabled: disabled },
  ...{ isWarnEnabled: disabled, isErrorEnabled: disabled, isFatalEnabled: disabled },
};

/** Lines and columns count from 0. */
function offsetOf(source: string, { line, column }: { line: number; column: number }): number {
  let start = 0;
  for (let i = 0; i < line; i++) start = source.indexOf('\n', start) + 1;
  return start + column;
}
