import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Programs of one containerd, ready to be started privately. */
export interface ContainerdBinaries {
  /** `1.6` (Debian 12's) or `2` (a newer Debian suite's package, unpacked beside it). */
  series: '1.6' | '2';
  /** Folder of containerd, ctr and the shim. */
  dir: string;
}

const cache = fileURLToPath(new URL('../.cache/containerd', import.meta.url));
const tools = ['containerd', 'ctr', 'containerd-shim-runc-v2'];
const companions = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'busybox-static'];

/**
 * The containerd versions that end-to-end tests can use on this machine. With `install` (CI, and root on Debian) what is missing
 * comes from Debian's packages; without it only what is there is used.
 */
export function provideContainerd(install: boolean): { found: ContainerdBinaries[]; missing: string[] } {
  const found: ContainerdBinaries[] = [];
  const missing: string[] = [];
  if (install && !systemReady()) installDebianPackages();
  if (systemReady()) found.push({ series: '1.6', dir: '/usr/bin' });
  else missing.push(`containerd, runc, CNI plugins and a static busybox (apt-get install ${companions.join(' ')})`);
  const newer = join(cache, '2', 'usr', 'bin');
  if (install && !complete(newer)) fetchNewerContainerd();
  if (complete(newer) && systemReady()) found.push({ series: '2', dir: newer });
  else missing.push('containerd 2 (unpacked by NODEAGENT_E2E=required npm test on Debian)');
  return { found, missing };
}

const complete = (dir: string) => tools.every((tool) => existsSync(join(dir, tool)));
const systemReady = () =>
  complete('/usr/bin') &&
  existsSync('/usr/lib/cni/bridge') &&
  existsSync('/bin/busybox') &&
  ['/usr/sbin/runc', '/usr/bin/runc'].some(existsSync);

function run(command: string, args: string[], cwd?: string): void {
  const result = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
  if (result.status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${result.error?.message ?? result.stderr}`);
}

function installDebianPackages(): void {
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...companions]);
  // The package starts a system daemon where there is systemd; the tests run their own.
}

/** Downloads the package from the newest suite with apt's lists and caches kept apart from the system's, and only unpacks it. */
function fetchNewerContainerd(): void {
  const work = join(cache, 'apt');
  rmSync(work, { recursive: true, force: true });
  for (const dir of ['lists/partial', 'archives/partial', 'sources']) mkdirSync(join(work, dir), { recursive: true });
  const own = readdirSync('/etc/apt/sources.list.d').filter((name) => name.endsWith('.sources'));
  const stanza = own
    .flatMap((name) => readFileSync(join('/etc/apt/sources.list.d', name), 'utf8').split(/\n\s*\n/))
    .find((text) => /debian-archive-keyring/.test(text) && !/-security/.test(text));
  if (stanza === undefined) throw new Error('no Debian source in /etc/apt/sources.list.d to take a newer containerd from');
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
  run('apt-get', [...apart, 'download', '-qq', 'containerd'], work);
  const [deb] = readdirSync(work).filter((name) => name.startsWith('containerd_') && name.endsWith('.deb'));
  if (deb === undefined) throw new Error('apt-get download left no containerd package');
  const unpacked = join(work, 'unpacked');
  run('dpkg', ['-x', join(work, deb), unpacked]);
  rmSync(join(cache, '2'), { recursive: true, force: true });
  renameSync(unpacked, join(cache, '2'));
  rmSync(work, { recursive: true, force: true });
}
