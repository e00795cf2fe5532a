import { type Clock, errorCode } from '@nodeagent/api';
import type { CgroupFiles } from './cgroup-files.js';
import { cgroupFailed } from './errors.js';
import { words } from './hierarchy.js';

const killPasses = 5;
const removeAttempts = 6;
const firstRetryMs = 10;

/** The processes in the folders and below, ascending. */
export async function pidsIn(files: CgroupFiles, folders: readonly string[]): Promise<number[]> {
  const lists = await Promise.all(folders.map((folder) => pidsBelow(files, folder)));
  return Array.from(new Set(lists.flat())).sort((a, b) => a - b);
}

async function pidsBelow(files: CgroupFiles, folder: string): Promise<number[]> {
  const text = await files.read(`${folder}/cgroup.procs`).catch(() => '');
  const below = await files.folders(folder).catch(() => []);
  const lists = await Promise.all(below.map((each) => pidsBelow(files, `${folder}/${each}`)));
  return [...words(text).map(Number), ...lists.flat()];
}

/** Kills the processes in the folders and below. Rejects with `CgroupFailed` if the calling process is one of them. */
export async function killAll(files: CgroupFiles, path: string, folders: readonly string[], clock: Pick<Clock, 'sleep'>): Promise<void> {
  for (let pass = 0; pass < killPasses; pass++) {
    const found = await pidsIn(files, folders);
    if (found.length === 0) return;
    if (files.pid !== undefined && found.includes(files.pid)) {
      throw cgroupFailed('remove the cgroup', path, new Error(`it contains this process, ${files.pid}`));
    }
    for (const pid of found) files.kill(pid);
    await clock.sleep(firstRetryMs << pass);
  }
}

/** Removes the folders without processes and cgroups below; false if one remains. */
export async function removeEmptyFolders(files: CgroupFiles, folders: readonly string[]): Promise<boolean> {
  let areRemoved = true;
  for (const folder of folders) {
    await files.rmdir(folder).catch((error) => {
      if (errorCode(error) !== 'ENOENT') areRemoved = false;
    });
  }
  return areRemoved;
}

/** Removes a folder and those below it without processes; false if one remains. */
export async function removeEmptyTree(files: CgroupFiles, folder: string): Promise<boolean> {
  const below = await files.folders(folder).catch(() => []);
  for (const each of below) if (!(await removeEmptyTree(files, `${folder}/${each}`))) return false;
  return removeEmptyFolders(files, [folder]);
}

/** Removes a folder and those below it. Retries while the processes in it exit. */
export async function removeTree(files: CgroupFiles, folder: string, clock: Pick<Clock, 'sleep'>): Promise<void> {
  const below = await files.folders(folder).catch(() => []);
  for (const each of below) await removeTree(files, `${folder}/${each}`, clock);
  for (let attempt = 1; ; attempt++) {
    try {
      await files.rmdir(folder);
      return;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return;
      if (errorCode(error) !== 'EBUSY' || attempt === removeAttempts) throw error;
      await clock.sleep(firstRetryMs << (attempt - 1));
    }
  }
}
