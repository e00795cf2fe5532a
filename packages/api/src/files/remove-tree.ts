import { readdir, rmdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../contracts/errors.js';

/**
 * Removes a file, a link or a folder with its content; does nothing if the path is missing. Follows no link. It exists beside `rm` for time: Node
 * implements `rm` with about three times as many calls of the system, and each is a trip through the thread pool.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return;
    // unlink(2): EISDIR for a folder on Linux, EPERM elsewhere.
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
    await removeFolder(path);
  }
}

async function removeFolder(folder: string): Promise<void> {
  let entries: { name: string; isDirectory(): boolean }[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    await (entry.isDirectory() ? removeFolder(path) : removeTree(path));
  }
  await rmdir(folder).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
