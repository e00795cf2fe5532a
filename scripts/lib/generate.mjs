import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './pnpm.mjs';

/** Files that are not committed, each with the script that writes it from its sources. */
const generated = [
  {
    file: 'packages/node-page/src/page-files.ts',
    script: 'packages/node-page/scripts/embed-page.mjs',
    sources: ['packages/node-page/page', 'packages/node-page/cluster-page', 'packages/node-page/src/browser'],
  },
  {
    file: 'packages/node-page/src/cluster-page-files.ts',
    script: 'packages/node-page/scripts/embed-page.mjs',
    sources: ['packages/node-page/page', 'packages/node-page/cluster-page', 'packages/node-page/src/browser'],
  },
  {
    file: 'packages/cri-client/src/generated/codec.ts',
    script: 'packages/cri-client/scripts/write-codec.mjs',
    sources: ['packages/cri-client/proto', 'packages/cri-client/scripts'],
  },
];
const stampFile = join(root, 'node_modules', '.cache', 'nodeagent-generated.json');

/** Writes the generated files that are missing or whose sources have changed. */
export function generateFiles() {
  const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
  for (const { file, script, sources } of generated) {
    const hash = hashOf([script, ...sources]);
    if (stamps[file] === hash && existsSync(join(root, file))) continue;
    const { status } = spawnSync(process.execPath, [script], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    if (status !== 0) throw new Error(`${script} failed`);
    stamps[file] = hash;
    mkdirSync(dirname(stampFile), { recursive: true });
    writeFileSync(stampFile, JSON.stringify(stamps, null, 1));
  }
}

/** Of files and of the files in folders. */
function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesAt))
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

function filesAt(path) {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path))
    .sort()
    .map((name) => join(path, name));
}
