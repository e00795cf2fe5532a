import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { capture } from './parallel.mjs';
import { pnpmPath } from './pnpm.mjs';

/**
 * Packs built packages as they are published into a new folder, and returns where the tarball of each is. pnpm replaces `workspace:` by
 * versions and adds the LICENSE of the repository. Throws with the output if it fails.
 */
export async function packPackages(entries, folder) {
  mkdirSync(folder);
  const filters = entries.flatMap(({ name }) => ['--filter', `@nodeagent/${name}`]);
  const packed = await capture(process.execPath, [pnpmPath(), ...filters, '-r', 'pack', '--pack-destination', folder]);
  if (packed.status !== 0 || readdirSync(folder).length !== entries.length)
    throw new Error(`pnpm pack failed\n${packed.stdout}${packed.stderr}`);
  return ({ name, manifest }) => join(folder, `nodeagent-${name}-${manifest.version}.tgz`);
}
