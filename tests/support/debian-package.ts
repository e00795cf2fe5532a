import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs a program of the system to completion; throws with its output if it failed. */
export function run(command: string, args: string[], cwd?: string): void {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${result.error?.message ?? result.stderr}`);
}

/** Downloads a package from the newest suite with apt's lists and caches kept apart from the system's, and only unpacks it there. */
export function unpackNewestPackage(name: string, folder: string): void {
  const work = `${folder}.apt`;
  rmSync(work, { recursive: true, force: true });
  for (const dir of ['lists/partial', 'archives/partial', 'sources']) mkdirSync(join(work, dir), { recursive: true });
  const own = readdirSync('/etc/apt/sources.list.d').filter((file) => file.endsWith('.sources'));
  const stanza = own
    .flatMap((file) => readFileSync(join('/etc/apt/sources.list.d', file), 'utf8').split(/\n\s*\n/))
    .find((text) => /debian-archive-keyring/.test(text) && !/-security/.test(text));
  if (stanza === undefined) throw new Error('no Debian source in /etc/apt/sources.list.d to take a newer package from');
  writeFileSync(join(work, 'sources', 'newer.sources'), `${stanza.replace(/^Suites:.*$/m, 'Suites: sid').replace(/^#.*\n/gm, '')}\n`);
  const apart = Object.entries({
    'Dir::Etc::SourceList': '/dev/null',
    'Dir::Etc::SourceParts': join(work, 'sources'),
    'Dir::State::Lists': join(work, 'lists'),
    'Dir::Cache::archives': join(work, 'archives'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Sandbox::User': 'root',
  }).flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  run('apt-get', [...apart, 'update', '-qq']);
  run('apt-get', [...apart, 'download', '-qq', `${name}/sid`], work);
  const [deb] = readdirSync(work).filter((file) => file.startsWith(`${name}_`) && file.endsWith('.deb'));
  if (deb === undefined) throw new Error(`apt-get download left no package ${name}`);
  const unpacked = join(work, 'unpacked');
  run('dpkg', ['-x', join(work, deb), unpacked]);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unpacked, folder);
  rmSync(work, { recursive: true, force: true });
}
