import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packPackages } from './pack.mjs';
import { capture } from './parallel.mjs';

/**
 * Packs built packages as they would be published and installs the tarballs in an empty folder. Returns that folder, `consumer`, and where
 * the tarball of each is. The folder above is removed when the process exits, unless `keep`. `projects` is a folder of projects that are
 * copied there and installed with the tarballs, as npm's workspaces. Throws with the output of what failed.
 */
export async function installPacked(entries, { keep = false, projects, onStep = () => {} } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-packed-'));
  const consumer = join(folder, 'consumer');
  mkdirSync(consumer);
  process.on('exit', () => {
    if (keep) console.log(`kept ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  });
  const tarballOf = await packPackages(entries, join(folder, 'tarballs'));
  onStep(`packed ${entries.length} packages`);

  const dependencies = Object.fromEntries(entries.map((entry) => [entry.manifest.name, `file:${tarballOf(entry)}`]));
  // What the rest would fetch from the registry under these names must come from the tarballs too, at any depth.
  const manifest = { name: 'consumer', private: true, workspaces: projects && ['*'], dependencies, overrides: dependencies };
  if (projects !== undefined) cpSync(projects, consumer, { recursive: true });
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest, null, 2));
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  const { status, stdout, stderr } = await capture('npm', args, { cwd: consumer });
  if (status !== 0) throw new Error(`npm install of the tarballs failed\n${stdout}${stderr}`);
  onStep('installed them in an empty folder');
  return { folder, consumer, tarballOf };
}
