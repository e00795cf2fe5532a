import { join } from 'node:path';
import { checkedPodUid, type PodDirs } from './pod-dirs.js';

/** Keeps no folders: for simulated nodes. With `files`, the files below a removed pod's folder are removed with it. */
export function createMemoryPodDirs(files?: { remove(path: string): Promise<void> }): PodDirs {
  const known = new Set<string>();
  return {
    podDir: (uid) => join('/pods', checkedPodUid(uid)),
    async create(uid) {
      known.add(uid);
    },
    list: async () => [...known],
    async remove(uid) {
      await files?.remove(join('/pods', checkedPodUid(uid)));
      known.delete(uid);
      return true;
    },
  };
}
