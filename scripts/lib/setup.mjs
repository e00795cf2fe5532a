import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pnpm, root } from './pnpm.mjs';

const stampFile = join(root, 'node_modules', '.nodeagent-setup');

/** What an installation depends on: the lock file and every manifest. */
function fingerprint() {
  const hash = createHash('sha256');
  const folders = ['packages', 'examples'].filter((dir) => existsSync(join(root, dir)));
  const manifests = folders.flatMap((dir) =>
    readdirSync(join(root, dir))
      .map((name) => join(dir, name, 'package.json'))
      .filter((file) => existsSync(join(root, file))),
  );
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', ...manifests.sort()]) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** Installs the dependencies with the pinned pnpm; does nothing when they are there already. */
export function setup() {
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  console.error('installing dependencies (once, and after a change of them)');
  pnpm(['install', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only', '--loglevel=warn']);
  writeFileSync(stampFile, wanted);
}
