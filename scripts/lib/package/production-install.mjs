import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packPackages } from '../pack.mjs';
import { capture } from '../parallel.mjs';
import { root } from '../pnpm.mjs';

const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];

/**
 * Packs built packages as they are published and installs the command with what it needs at run time in `folder/nodeagent`, which it
 * returns. Throws if the registry served another third-party package than the one of pnpm-lock.yaml.
 */
export async function installProduction(entries, folder) {
  const tarballOf = await packPackages(entries, join(folder, 'tarballs'));
  const installed = join(folder, 'nodeagent');
  mkdirSync(installed);
  const overrides = Object.fromEntries(entries.map((entry) => [entry.manifest.name, `file:${tarballOf(entry)}`]));
  const { version, license } = entries.find(({ name }) => name === 'cli').manifest;
  const dependencies = { '@nodeagent/cli': overrides['@nodeagent/cli'] };
  const manifest = { name: 'nodeagent', version, license, private: true, dependencies, overrides };
  writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest));
  const { status, stderr } = await capture('npm', ['install', '--omit=dev', ...quiet], { cwd: installed });
  if (status !== 0) throw new Error(`npm install of the command failed\n${stderr}`);
  checkAgainstLockfile(installed);
  return installed;
}

function checkAgainstLockfile(installed) {
  const locked = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')).packages;
  const { packages } = JSON.parse(readFileSync(join(installed, 'package-lock.json'), 'utf8'));
  for (const [path, { version, integrity }] of Object.entries(packages)) {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    if (path === '' || name.startsWith('@nodeagent/')) continue;
    if (locked[`${name}@${version}`]?.resolution.integrity !== integrity)
      throw new Error(`${name} ${version} is not the package of pnpm-lock.yaml: set its version in pnpm-workspace.yaml`);
  }
}
