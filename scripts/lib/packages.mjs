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
