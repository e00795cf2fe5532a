import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagesWithDependencies } from './packages.mjs';
import { root } from './pnpm.mjs';

const stampFile = join(root, 'node_modules', '.cache', 'nodeagent-build.json');
const shared = [
  'tsup.config.ts',
  'tsconfig.build.json',
  'tsconfig.types.json',
  'pnpm-workspace.yaml',
  'scripts/lib/entries.mjs',
  'scripts/lib/declarations.mjs',
  'scripts/lib/import-by-require.mjs',
  'scripts/lib/spread-into-empty.mjs',
  'scripts/lib/third-party-notices.mjs',
  'scripts/lib/builtins-without-facade.mjs',
  'scripts/lib/command-bundle.mjs',
];

/** Packages that have something to build: the named ones and what they need, or all. */
export function buildablePackages(names = []) {
  return packagesWithDependencies(names).filter(({ dir }) => existsSync(join(dir, 'src', 'index.ts')));
}

/** What is built of a package: the `sources` that its JavaScript is from, and the `declarations`, if they are bundled. */
export function stampOf(entry) {
  const { sources, declarations } = readStamps()[entry.name] ?? {};
  const isThere = (file) => existsSync(join(entry.dir, 'dist', file));
  return { sources: isThere('index.js') ? sources : undefined, declarations: isThere('index.d.ts') ? declarations : undefined };
}

/** Notes what a package was built from. */
export function stampPackage({ name }, stamp) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ ...readStamps(), [name]: stamp }, null, 1));
}

/** What a package's build depends on: its sources and configuration, and those of its siblings if it bundles them. */
export function fingerprint({ name, dir }) {
  const hash = createHash('sha256');
  if (bundlesSiblings(dir)) for (const sibling of buildablePackages([name])) if (sibling.name !== name) hash.update(fingerprint(sibling));
  const own = readdirSync(join(dir, 'src'), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.name.endsWith('.test.ts'))
    .map((file) => join(file.parentPath, file.name));
  const files = [...own.sort(), join(dir, 'package.json'), join(dir, 'tsup.config.ts'), ...shared.map((file) => join(root, file))];
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

const bundlesSiblings = (dir) => readFileSync(join(dir, 'tsup.config.ts'), 'utf8').includes('bundleCommand');

/** The packages in an order in which those that bundle siblings are last. */
export const siblingsFirst = (entries) => [...entries].sort((a, b) => bundlesSiblings(a.dir) - bundlesSiblings(b.dir));

/** True if nothing of the packages changed since they were built. */
export function areBuilt(entries, { types }) {
  return entries.every((entry) => {
    const { sources, declarations } = stampOf(entry);
    return sources === fingerprint(entry) && (declarations !== undefined || !types);
  });
}

/** Builds what changed since the last build; true if all is built. Takes no time worth mentioning when nothing changed. */
export function buildPackages({ types, names = [] }) {
  if (areBuilt(buildablePackages(names), { types })) return true;
  const args = [join(root, 'scripts', 'build.mjs'), ...(types ? [] : ['--no-types']), ...names];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

function readStamps() {
  return existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
}
