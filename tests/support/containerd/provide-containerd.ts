import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, unpackNewestPackage } from '../debian-package.js';

/** Programs of one containerd, ready to be started privately. */
export interface ContainerdBinaries {
  /** `1.6` (Debian 12's) or `2` (a newer Debian suite's package, unpacked beside it). */
  series: '1.6' | '2';
  /** Folder of containerd, ctr and the shim. */
  dir: string;
}

const cache = fileURLToPath(new URL('../../../.cache/containerd', import.meta.url));
const tools = ['containerd', 'ctr', 'containerd-shim-runc-v2'];
const companions = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'iproute2', 'busybox-static'];

/**
 * The containerd versions that end-to-end tests can use on this machine. With `install` (CI, and root on Debian) what is missing
 * comes from Debian's packages; without it only what is there is used.
 */
export function provideContainerd(install: boolean): { found: ContainerdBinaries[]; missing: string[] } {
  const found: ContainerdBinaries[] = [];
  const missing: string[] = [];
  if (install && systemFolder() === undefined) installDebianPackages();
  const system = systemFolder();
  if (system !== undefined) found.push({ series: '1.6', dir: system });
  else missing.push(`containerd, runc, CNI plugins and a static busybox (apt-get install ${companions.join(' ')})`);
  const newer = join(cache, '2', 'usr', 'bin');
  if (install && !complete(newer)) unpackNewestPackage('containerd', join(cache, '2'));
  if (complete(newer) && system !== undefined) found.push({ series: '2', dir: newer });
  else missing.push('containerd 2 (unpacked by NODEAGENT_E2E=required npm test on Debian)');
  return { found, missing };
}

const complete = (dir: string) => tools.every((tool) => existsSync(join(dir, tool)));

/** The folder of the system's containerd in PATH, if all that its containers need is installed too. */
function systemFolder(): string | undefined {
  const companionsInstalled =
    existsSync('/usr/lib/cni/bridge') && existsSync('/bin/busybox') && ['/usr/sbin/runc', '/usr/bin/runc'].some(existsSync);
  return companionsInstalled ? (process.env.PATH ?? '').split(delimiter).find(complete) : undefined;
}

function installDebianPackages(): void {
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...companions]);
  // The package starts a system daemon where there is systemd; the tests run their own.
}
