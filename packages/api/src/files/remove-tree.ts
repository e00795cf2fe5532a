import { rmdirSync, unlinkSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { errorCode } from '../contracts/errors.js';
import type { FileCall } from './file-call.js';
import type { WalkTree } from './tree-entry.js';
import { createWalkBy, walkTree } from './walk-tree.js';

/** The number of direct calls for one tree: enough for the folder of a pod without volumes. */
const maxDirectCalls = 64;

/**
 * Removes a file, a link or a folder with its content; does nothing if the path is missing. Removes nothing else, even if others replace folders of
 * the tree by links meanwhile: see {@link walkTree}. Rejects with EBUSY, after it has removed other content, if there is a mount point in the folder.
 */
export function removeTree(path: string): Promise<void> {
  return removeBy(walkTree, path, (_, inThread) => inThread());
}

/**
 * As {@link removeTree}, with up to 64 calls made by `call` and the rest in threads. Only for a folder of this machine in which nothing is mounted: a
 * network file system may not answer.
 */
export function removeSmallTree(path: string, call: FileCall): Promise<void> {
  let left = maxDirectCalls;
  const limited: FileCall = (direct, inThread) => (left-- > 0 ? call(direct, inThread) : inThread());
  return removeBy(createWalkBy(limited), path, limited);
}

async function removeBy(walk: WalkTree, path: string, call: FileCall): Promise<void> {
  try {
    await walk(path, ({ place, kind }) =>
      kind === 'other'
        ? call(
            () => unlinkSync(place),
            () => unlink(place),
          )
        : call(
            () => rmdirSync(place),
            () => rmdir(place),
          ),
    );
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}
