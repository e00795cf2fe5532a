import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateFiles } from './generate.mjs';
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
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json', 'docs/package.json', ...manifests.sort()]) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

const minNode = [20, 19];

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > minNode[0] || (major === minNode[0] && minor >= minNode[1])) return;
  console.error(`Node ${minNode.join('.')} or later is needed; this is ${process.versions.node} (${process.execPath})`);
  process.exit(1);
}

/** Installs the dependencies with the pinned pnpm and writes the files that are generated; does nothing when they are there already. */
export function setup() {
  checkNode();
  install();
  generateFiles();
}

function install() {
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return;
  const started = Date.now();
  console.error('installing dependencies into node_modules/ (once, and after a change of them; about half a minute)');
  pnpm([
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    '--reporter=append-only',
    '--loglevel=error',
    '--config.update-notifier=false',
  ]);
  console.error(`installed in ${((Date.now() - started) / 1000).toFixed(0)} s`);
  writeFileSync(stampFile, wanted);
}
