import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pnpm.mjs';

/**
 * The folder `node_modules` with one package of the npm registry and its dependencies, below `.cache`. Installs it on the first call, without
 * scripts. Processes may call it at the same time. Throws if npm cannot install it.
 */
export function installOnce(name, version, { overrides, env = process.env } = {}) {
  const prefix = join(root, '.cache', `${name}-${version}`);
  const modules = join(prefix, 'node_modules');
  if (existsSync(modules)) return modules;
  console.error(`fetching ${name} ${version} (once)`);
  const unfinished = `${prefix}.unfinished-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, 'package.json'), JSON.stringify({ private: true, dependencies: { [name]: version }, overrides }));
  try {
    const args = ['install', '--prefix', unfinished, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
    execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'], env });
    renameSync(unfinished, prefix);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(modules)) throw new Error(`npm cannot install ${name}@${version}`, { cause: error });
  }
  return modules;
}
