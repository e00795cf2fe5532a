import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { entriesOf } from './entries.mjs';
import { capture } from './parallel.mjs';
import { root } from './pnpm.mjs';

/** Where tsconfig.types.json emits the declarations of all sources. Outside of node_modules/, where the bundler takes nothing from. */
const emitted = join(root, '.cache', 'types');
const sourcesOf = (name) => join(emitted, 'packages', name, 'src');

/** Emits the declaration of every source file of every package: only what changed, unless `force`. Returns the compiler's errors. */
export async function emitDeclarations({ force }) {
  if (force) rmSync(emitted, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript-native', 'bin', 'tsc');
  const { status, stdout, stderr } = await capture(process.execPath, [tsc, '-p', 'tsconfig.types.json']);
  return status === 0 ? undefined : `${stdout}${stderr}`.trimEnd();
}

/** Changes when a declaration of the package changed, if by its own sources or by what is inferred from those of a dependency. */
export function declarationsHash({ name }) {
  const dir = sourcesOf(name);
  if (!existsSync(dir)) return undefined;
  const hash = createHash('sha256');
  const files = readdirSync(dir, { recursive: true }).filter((file) => file.endsWith('.d.ts'));
  for (const file of files.sort())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(dir, file)));
  return hash.digest('hex');
}

/** Bundles the emitted declarations of a package: one file for each entry, and for what entries share, as `.d.ts` and as `.d.cts`. */
export async function bundleDeclarations({ name, dir, manifest }) {
  const [{ rollup }, { dts }] = await Promise.all([import('rollup'), import('rollup-plugin-dts')]);
  const bundle = await rollup({
    input: Object.fromEntries(entriesOf(manifest).map((entry) => [entry.name, join(sourcesOf(name), `${entry.name}.d.ts`)])),
    external: (id) => isExternal(id, manifest),
    plugins: [dts({ tsconfig: false, compilerOptions: { noLib: true, types: [] } })],
    onwarn: ({ message }) => {
      throw new Error(message);
    },
  });
  for (const extension of ['d.ts', 'd.cts'])
    await bundle.write({
      dir: join(dir, 'dist'),
      entryFileNames: `[name].${extension}`,
      chunkFileNames: (chunk) => `${chunk.name.replace(/\.d$/, '')}-[hash].${extension}`,
    });
  await bundle.close();
}

/** True of another package. Throws on one that an installation of this package would not bring. */
function isExternal(id, { name, dependencies, peerDependencies }) {
  if (id.startsWith('.') || id.startsWith('/')) return false;
  const packageName = id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
  if (!isBuiltin(id) && ![name, ...Object.keys({ ...dependencies, ...peerDependencies })].includes(packageName))
    throw new Error(`the declarations import ${id}, which is not among the dependencies`);
  return true;
}
