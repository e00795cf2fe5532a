import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Writes a file that only its owner can read and that is never seen in part: a new one, synced to the disk, takes the place of the old
 * one at once. Folders that are missing are made, with mode `folderMode` (default 0750). Rejects with the file system's error, and the
 * old file stays. Calls for one path must come one at a time.
 */
export async function replaceFile(path: string, text: string, folderMode = 0o750): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: folderMode });
  const unfinished = `${path}.tmp`;
  try {
    const file = await open(unfinished, 'w', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
}
