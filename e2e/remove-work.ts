import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Removes a suite's folder with that of its agents, which one that was killed has left bound onto itself. Nothing else may be mounted there. */
export function removeWork(work: string, root: string): void {
  spawnSync('umount', [root]);
  rmSync(work, { recursive: true, force: true });
}
