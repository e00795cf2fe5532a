import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorCode } from '../contracts/errors.js';
import { withPath } from './with-path.js';

/**
 * Replaces a file atomically: writes a new file that only its owner can read, syncs it to disk and renames it. Creates missing directories
 * with mode `folderMode` (default 0750). Rejects with the file system's error and keeps the old file. Calls for one path must not overlap.
 */
export async function replaceFile(path: string, text: string, folderMode = 0o750): Promise<void> {
  const unfinished = `${path}.tmp`;
  const create = () => open(unfinished, 'w', 0o600);
  try {
    const file = await create().catch(async (error) => {
      if (errorCode(error) !== 'ENOENT') throw error;
      await mkdir(dirname(path), { recursive: true, mode: folderMode });
      return create();
    });
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw withPath(error, unfinished);
  }
}
