import { rmdir, unlink } from 'node:fs/promises';
import { errorCode } from '../contracts/errors.js';
import { walkTree } from './walk-tree.js';

/**
 * Removes a file, a link or a folder with its content; does nothing if the path is missing. Removes nothing else, even if others replace folders of
 * the tree by links meanwhile: see {@link walkTree}. Rejects with EBUSY, after it has removed other content, if there is a mount point in the folder.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await walkTree(path, ({ place, kind }) => (kind === 'other' ? unlink(place) : rmdir(place)));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
