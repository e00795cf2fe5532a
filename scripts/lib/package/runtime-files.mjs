import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const legal = /^(licen[cs]e|notice|copying)([.-]|$)/i;

/**
 * The files of an installation that the command needs, relative to `installed`: the modules that it can load, which are those that a
 * bundler would include, and the manifest and licence of each installed package. Leaves out declarations, CommonJS duplicates and documentation.
 */
export async function runtimeFiles(installed) {
  const command = join(installed, 'node_modules/@nodeagent/cli');
  const { peerDependenciesMeta } = JSON.parse(readFileSync(join(command, 'package.json'), 'utf8'));
  const { metafile } = await build({
    entryPoints: [join(command, 'dist/bin.js')],
    absWorkingDir: installed,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // Users install optional peers beside the command.
    external: Object.keys(peerDependenciesMeta),
    metafile: true,
    write: false,
    outdir: 'bundle',
    logLevel: 'silent',
  });
  const modules = Object.keys(metafile.inputs);
  const { packages } = JSON.parse(readFileSync(join(installed, 'node_modules', '.package-lock.json'), 'utf8'));
  const folders = Object.keys(packages);
  return [...modules, ...folders.flatMap((folder) => legalFilesOf(installed, folder))].sort();
}

/** The package's folder below `node_modules` that has this file. */
export function packageFolderOf(file) {
  const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file) ?? [];
  if (folder === undefined) throw new Error(`${file} is outside of node_modules`);
  return folder;
}

function legalFilesOf(installed, folder) {
  const files = readdirSync(join(installed, folder)).filter((name) => name === 'package.json' || legal.test(name));
  const notices = join(installed, folder, 'dist', 'THIRD-PARTY-NOTICES');
  return [...files.map((name) => join(folder, name)), ...(existsSync(notices) ? [relative(installed, notices)] : [])];
}
