import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { nodeVersions } from './node-versions.mjs';
import { root } from './pnpm.mjs';

/**
 * The folder of the `node` of a major version, which is the running one or comes from the npm registry, once. The package of this platform
 * contains the binary; the package `node` itself would only install it by a script. Throws if npm has none for this platform.
 */
export function fetchNode(major) {
  const version = nodeVersions[major];
  if (version === undefined) throw new Error(`Node ${major} is not supported; choose one of ${Object.keys(nodeVersions).join(', ')}`);
  const prefix = join(root, '.cache', `node-${version}`);
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(prefix, 'node_modules', name, 'bin');
  if (existsSync(folder)) return folder;
  console.error(`fetching Node ${version} (once)`);
  const unfinished = `${prefix}.unfinished-${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const args = ['install', '--prefix', unfinished, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  try {
    execFileSync('npm', [...args, `${name}@${version}`], { stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(unfinished, prefix);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw new Error(`npm cannot install ${name}@${version}`, { cause: error });
  }
  return folder;
}

/** The environment in which `node` is that of the folder, also for programs that start it by name. */
export function environmentWithNode(folder) {
  return { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
}
