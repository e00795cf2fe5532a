import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Ends all mounts in and on what lies below a folder, the newest first: a killed agent or runtime leaves its own behind. */
export function unmountBelow(folder: string): void {
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n').reverse()) {
    const mountpoint = line.split(' ')[4];
    if (mountpoint?.startsWith(`${folder}/`)) spawnSync('umount', ['-l', mountpoint]);
  }
}
