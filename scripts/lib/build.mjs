import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packagesWithDependencies } from './packages.mjs';
import { root } from './pnpm.mjs';

const stampFile = join(root, 'node_modules', '.cache', 'nodeagent-build.json');
const shared = ['tsup.config.ts', 'tsconfig.build.json', 'scripts/lib/entries.mjs', 'scripts/lib/third-party-notices.mjs'];

/** Packages that have something to build: the named ones and what they need, or all. */
export function buildablePackages(names = []) {
  return packagesWithDependencies(names).filter(({ dir }) => existsSync(join(dir, 'src', 'index.ts')));
}

/** The packages whose build is missing or older than their sources. */
export function stalePackages({ types, names = [] }) {
  const stamps = readStamps();
  return buildablePackages(names).filter((entry) => {
    const stamp = stamps[entry.name];
    if (stamp === undefined || stamp.hash !== fingerprint(entry) || (types && !stamp.types)) return true;
    return !existsSync(join(entry.dir, 'dist', 'index.js')) || (types && !existsSync(join(entry.dir, 'dist', 'index.d.ts')));
  });
}

/** Notes that the package was built from these sources. */
export function stampPackage(entry, { hash, types }) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, JSON.stringify({ ...readStamps(), [entry.name]: { hash, types } }, null, 1));
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

/** Builds what changed since the last build; true if all is built. Takes no time worth mentioning when nothing changed. */
export function buildPackages({ types, names = [] }) {
  if (stalePackages({ types, names }).length === 0) return true;
  const args = [join(root, 'scripts', 'build.mjs'), ...(types ? [] : ['--no-types']), ...names];
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

function readStamps() {
  return existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
}
