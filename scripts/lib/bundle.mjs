import { join, relative } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { entriesOf } from './entries.mjs';
import { packages } from './packages.mjs';
import { root } from './pnpm.mjs';

/** Globals of Node that browsers do not have, each with the name that marks it in a bundle. */
const nodeGlobals = Object.fromEntries(
  ['Buffer', 'process', 'setImmediate', 'clearImmediate', 'global', '__dirname', '__filename'].map((name) => [
    name,
    `globalOfNode_${name}`,
  ]),
);

/** The bundle of an entry as a user's bundler makes it for browsers: its size, minified and compressed, and what in it needs Node. */
export async function bundleEntry(id) {
  const { text, problems } = await bundle(`export * from '${id}';`, { format: 'esm', minify: true, define: nodeGlobals });
  const reached = Object.entries(nodeGlobals).filter(([, mark]) => text.includes(mark) && !text.includes(`typeof ${mark}`));
  return { kib: gzipSync(text).length / 1024, problems: [...problems, ...reached.map(([name]) => `it uses ${name}`)] };
}

/** One script that runs the program with these entries: it defines `program.run`. Throws if it needs Node. */
export async function bundleProgram(ids) {
  const imports = ids.map((id, at) => `import * as entry${at} from '${id}';`);
  const entries = ids.map((id, at) => `'${nameOf(id)}': entry${at}`);
  const program = join(root, 'scripts', 'runtimes', 'program.mjs');
  const source = `import { runProgram } from '${program}';\n${imports.join('\n')}\nexport const run = () => runProgram({ ${entries.join(', ')} });\n`;
  const { text, problems } = await bundle(source, { format: 'iife', globalName: 'program', external: ['node:*'] });
  if (problems.length > 0) throw new Error(`esbuild cannot bundle the program: ${problems.join('\n')}`);
  return text;
}

/** An entry without the scope of the packages, such as `stats/decisions`. */
export const nameOf = (id) => id.slice('@nodeagent/'.length);

async function bundle(contents, options) {
  const { outputFiles, errors } = await esbuild
    .build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      write: false,
      platform: 'browser',
      target: 'es2022',
      // The built packages, not the sources that the paths of tsconfig.json name.
      tsconfigRaw: {},
      plugins: [builtPackages],
      logLevel: 'silent',
      ...options,
    })
    .catch((failure) => failure);
  const problems = errors.map(({ text, location }) => `${text}${location ? ` in ${relative(root, location.file)}` : ''}`);
  return { text: outputFiles?.[0]?.text ?? '', problems };
}

const builtPackages = {
  name: 'built-packages',
  setup({ onResolve }) {
    const files = new Map(packages().flatMap(({ dir, manifest }) => entriesOf(manifest).map((entry) => [entry.id, builtFile(dir, entry)])));
    onResolve({ filter: /^@nodeagent\// }, ({ path }) => ({ path: files.get(path), sideEffects: false }));
  },
};

const builtFile = (dir, { name }) => join(dir, 'dist', `${name}.js`);
