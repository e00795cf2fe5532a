import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { InstrumentedCode } from './edges.js';
import { instrument } from './instrument.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The packages that run in an agent, the test API server, whose clients are untrusted, too, and the library that parses YAML. */
const isInstrumented = (path: string) =>
  /^packages\/(?!testing\/|memory-runtime\/|test-(?!api-server\/)|compliance\/)[^/]+\/src\//.test(path) ||
  /\/node_modules\/yaml\/dist\//.test(path);

/** Writes the process that checks inputs as one CommonJS file in which the packages have counters. */
export async function writeInstrumentedBundle(outfile: string): Promise<void> {
  const code: InstrumentedCode = { edges: 0, files: [] };
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [fileURLToPath(new URL('../check-inputs.ts', import.meta.url))],
    tsconfig: join(root, 'tsconfig.json'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    write: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'instrumented',
        setup({ onLoad }) {
          onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
            const source = readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href));
            const name = relative(root, path);
            if (!isInstrumented(name)) return { contents: source, loader: path.endsWith('.ts') ? 'ts' : 'js' };
            const file = instrument(source, name, code.edges);
            code.files.push({ name, firstEdge: code.edges, literals: file.literals });
            code.edges += file.edges;
            return { contents: file.code, loader: 'js' };
          });
        },
      },
    ],
  });
  const prelude = `globalThis.fuzzCode = ${JSON.stringify(code)}; const fuzzEdges = globalThis.fuzzEdges = new Uint8ClampedArray(${code.edges});\n`;
  writeFileSync(outfile, prelude + (outputFiles[0]?.text ?? ''));
}
