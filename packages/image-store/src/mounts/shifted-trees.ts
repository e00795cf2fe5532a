import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Mounter } from '@nodeagent/api';
import { removeTree, unlessAbsent } from '@nodeagent/api/files';
import { createKeyedTurns } from '../pull/limited.js';
import { copyFileCapabilities } from './file-capabilities.js';
import type { IdMappings } from './id-mapping.js';
import { mountOverlay, rootOf, unmountBelow } from './overlay.js';
import { shiftOwners } from './shift-owners.js';

/**
 * Folders with the owners that files of an image have on the machine for a user namespace: the uppermost of an overlay with `metacopy`, so that they have no
 * content but that of files with capabilities. Containers with one image and one mapping share a tree.
 */
export interface ShiftedTrees {
  /** The name of the tree for these folders. Does no I/O. */
  nameOf(folders: readonly string[], mappings: IdMappings): string;
  /** Makes the tree unless it is there. Resolves to its folder. */
  prepare(folders: readonly string[], mappings: IdMappings, signal: AbortSignal): Promise<string>;
  /** Removes all trees, also unfinished ones, but for those that are used. */
  removeUnused(isUsed: (name: string) => boolean): Promise<void>;
}

const never = () => new AbortController().signal;

/** Creates the {@link ShiftedTrees} of a folder. Does no I/O. */
export function createShiftedTrees(root: string, mounter: Mounter): ShiftedTrees {
  const inTurn = createKeyedTurns();
  const unfinishedSuffix = '.unfinished';

  const nameOf: ShiftedTrees['nameOf'] = (folders, mappings) =>
    createHash('sha256')
      .update(JSON.stringify([folders, mappings]))
      .digest('hex');

  async function make(name: string, folders: readonly string[], mappings: IdMappings, signal: AbortSignal): Promise<void> {
    const finished = join(root, name);
    if ((await unlessAbsent(stat(finished))) !== undefined) return;
    const unfinished = `${finished}${unfinishedSuffix}`;
    const [original, shifted] = [join(unfinished, 'original'), join(unfinished, 'shifted')];
    await discard(unfinished);
    await mkdir(original, { recursive: true, mode: 0o700 });
    await mkdir(shifted, { mode: 0o700 });
    try {
      await mountOverlay(mounter, original, { folders, isWritable: false }, signal);
      await mountOverlay(mounter, shifted, { folders, isWritable: true, isMetadataOnly: true }, signal);
      const executables = await shiftOwners(rootOf(shifted), mappings, signal);
      const paths = executables.map((path) => relative(rootOf(shifted), path));
      await copyFileCapabilities(mounter, rootOf(original), rootOf(shifted), paths, signal);
      await unmountBelow(mounter, unfinished, signal);
      // Unmounting has synced it: a tree with a name is complete.
      await rename(join(shifted, 'upper'), finished);
    } finally {
      await discard(unfinished);
    }
  }

  async function discard(unfinished: string): Promise<void> {
    await unmountBelow(mounter, unfinished, never());
    await removeTree(unfinished);
  }

  return {
    nameOf,
    async prepare(folders, mappings, signal) {
      const name = nameOf(folders, mappings);
      await inTurn(name, signal, () => make(name, folders, mappings, signal));
      return join(root, name);
    },
    async removeUnused(isUsed) {
      for (const entry of (await unlessAbsent(readdir(root))) ?? []) {
        const name = entry.replace(unfinishedSuffix, '');
        if (!isUsed(name)) await inTurn(name, never(), () => (isUsed(name) ? Promise.resolve() : discard(join(root, entry))));
      }
    },
  };
}
