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

/** What a package's build depends on: its sources and configuration. Siblings stay outside of its bundle. */
export function fingerprint({ dir }) {
  const hash = createHash('sha256');
  const own = readdirSync(join(dir, 'src'), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.name.endsWith('.test.ts'))
    .map((file) => join(file.parentPath, file.name));
  const files = [...own.sort(), join(dir, 'package.json'), join(dir, 'tsup.config.ts'), ...shared.map((file) => join(root, file))];
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

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
