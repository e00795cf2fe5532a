import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

/** The published packages: folder name, folder, manifest; sorted by name. */
export function packages() {
  return readdirSync(join(root, 'packages'))
    .sort()
    .map((name) => ({ name, dir: join(root, 'packages', name) }))
    .filter(({ dir }) => existsSync(join(dir, 'package.json')))
    .map((entry) => ({ ...entry, manifest: JSON.parse(readFileSync(join(entry.dir, 'package.json'), 'utf8')) }));
}

/** The packages of the workspace that one is built with, its optional peers included: their folder names. */
export function neededPackages({ dependencies, peerDependencies }) {
  const prefix = '@nodeagent/';
  const names = Object.keys({ ...dependencies, ...peerDependencies });
  return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
}

/** The named packages and all of the workspace that they need; every package if none is named. Throws on a name that is none. */
export function packagesWithDependencies(names) {
  const all = packages();
  if (names.length === 0) return all;
  const byName = new Map(all.map((entry) => [entry.name, entry]));
  const chosen = new Set();
  const choose = (name) => {
    const entry = byName.get(name);
    if (entry === undefined) throw new Error(`no such package: ${name}`);
    if (chosen.has(entry)) return;
    chosen.add(entry);
    neededPackages(entry.manifest).forEach(choose);
  };
  names.forEach(choose);
  return all.filter((entry) => chosen.has(entry));
}
