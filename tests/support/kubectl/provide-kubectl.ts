import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackNewestPackage } from '../debian-package.js';

const unpacked = fileURLToPath(new URL('../../../.cache/kubectl', import.meta.url));
const oldestMinor = 30;

/** A kubectl of this machine that is new enough, or the one of Debian's newest suite, unpacked beside it; undefined if there is none. */
export function provideKubectl(install: boolean): string | undefined {
  const own = join(unpacked, 'usr', 'bin', 'kubectl');
  const found = ['/usr/local/bin/kubectl', '/usr/bin/kubectl', own].find(isNewEnough);
  if (found !== undefined || !install) return found;
  unpackNewestPackage('kubectl', unpacked);
  return isNewEnough(own) ? own : undefined;
}

function isNewEnough(path: string): boolean {
  if (!existsSync(path)) return false;
  const { stdout } = spawnSync(path, ['version', '--client', '--output', 'json'], { encoding: 'utf8' });
  return Number(/"gitVersion": "v1\.(\d+)/.exec(stdout)?.[1] ?? 0) >= oldestMinor;
}
