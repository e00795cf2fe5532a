import { readFile } from 'node:fs/promises';
import { removeTree } from '@nodeagent/api/files';
import { type RunProgram, runOrThrow } from '../programs.js';

/** Unmounts all that is mounted at a folder and below, then removes it. Idempotent: also after a part of it, by a killed process. */
export async function removeFolder(folder: string, run: RunProgram): Promise<void> {
  await unmountBelow(folder, run);
  await removeTree(folder);
}

/** The last mount first. Lazily, because a process that was just killed may still use it. */
async function unmountBelow(folder: string, run: RunProgram): Promise<void> {
  const table = await readFile('/proc/self/mountinfo', 'utf8');
  // Most of a thousand lines are of other pods.
  const lines = table.split('\n').filter((line) => line.includes(folder));
  const mountPoints = lines.map((line) => line.split(' ')[4] ?? '');
  const below = mountPoints.filter((path) => path === folder || path.startsWith(`${folder}/`)).reverse();
  if (below.length > 0) await runOrThrow(run, 'umount', ['--lazy', ...below]);
}
