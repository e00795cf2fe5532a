import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture } from './parallel.mjs';
import { pnpmPath } from './pnpm.mjs';

/**
 * Packs built packages as they would be published and installs the tarballs in an empty folder. Returns that folder, `consumer`, and where
 * the tarball of each is. The folder above is removed when the process exits, unless `keep`. Throws with the output of what failed.
 */
export async function installPacked(entries, { keep = false, onStep = () => {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-packed-'));
  const tarballs = join(folder, 'tarballs');
  const consumer = join(folder, 'consumer');
  mkdirSync(tarballs);
  mkdirSync(consumer);
  process.on('exit', () => {
    if (keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  });
  const tarballOf = ({ name, manifest }) => join(tarballs, `nodeagent-${name}-${manifest.version}.tgz`);

  const filters = entries.flatMap(({ name }) => ['--filter', `@nodeagent/${name}`]);
  const packed = await capture(process.execPath, [pnpmPath(), ...filters, '-r', 'pack', '--pack-destination', tarballs]);
  if (packed.status !== 0 || readdirSync(tarballs).length !== entries.length) throw failure('pnpm pack', packed);
  onStep(`packed ${entries.length} packages`);

  const dependencies = Object.fromEntries(entries.map((entry) => [entry.manifest.name, `file:${tarballOf(entry)}`]));
  // What the rest would fetch from the registry under these names must come from the tarballs too, at any depth.
  const manifest = { name: 'consumer', private: true, dependencies, overrides: dependencies };
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest, null, 2));
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const installed = await capture('npm', args, { cwd: consumer });
  if (installed.status !== 0) throw failure('npm install of the tarballs', installed);
  onStep('installed them in an empty folder');
  return { folder, consumer, tarballOf };
}

function failure(what, { stdout, stderr }) {
  return new Error(`${what} failed\n${stdout}${stderr}`);
}
