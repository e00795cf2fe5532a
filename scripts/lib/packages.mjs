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

/** The named packages and what they need of the workspace, optional peers included; every package if none is named. Throws on an unknown name. */
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
    for (const dependency of Object.keys({ ...entry.manifest.dependencies, ...entry.manifest.peerDependencies })) {
      if (dependency.startsWith('@nodeagent/')) choose(dependency.slice('@nodeagent/'.length));
    }
  };
  names.forEach(choose);
  return all.filter((entry) => chosen.has(entry));
}
