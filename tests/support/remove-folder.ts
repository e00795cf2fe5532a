import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';

/** Removes a folder of a test with all mounts in it, which a killed agent or runtime leaves behind; nothing if it was never made. */
export function removeFolder(folder: string | undefined): void {
  if (!folder) return;
  // The newest first: mounts lie on top of each other.
  for (const mountPoint of mountsBelow(folder).reverse()) spawnSync('umount', ['-l', mountPoint]);
  const left = mountsBelow(folder);
  // What is mounted may be the machine's own.
  if (left.length > 0) throw new Error(`${folder} is not removed, as these mounts could not be ended: ${left.join(', ')}`);
  rmSync(folder, { recursive: true, force: true });
}

function mountsBelow(folder: string): string[] {
  const mountPoints = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return mountPoints.filter((mountPoint) => mountPoint.startsWith(`${folder}/`));
}
