import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackNewestPackage } from '../debian-package.js';
import { cniPluginDir } from './test-pod-network.js';

const unpacked = fileURLToPath(new URL('../../../.cache/cni-plugins', import.meta.url));

/** Folder of plugins that support CNI 1.1: this machine's, or those of Debian's newest suite, unpacked beside them; undefined if there are none. */
export function provideCniPlugins(install: boolean): string | undefined {
  const own = join(unpacked, cniPluginDir);
  const found = [cniPluginDir, own].find(isNewEnough);
  if (found !== undefined || !install) return found;
  unpackNewestPackage('containernetworking-plugins', unpacked);
  if (!isNewEnough(own)) throw new Error(`${own}/bridge does not run here, or does not support CNI 1.1`);
  return own;
}

function isNewEnough(folder: string): boolean {
  if (!existsSync(join(folder, 'bridge'))) return false;
  const input = JSON.stringify({ cniVersion: '1.1.0' });
  const { stdout } = spawnSync(join(folder, 'bridge'), { input, encoding: 'utf8', env: { CNI_COMMAND: 'VERSION' } });
  return stdout.includes('"1.1.0",') || stdout.includes('"1.1.0"]');
}
