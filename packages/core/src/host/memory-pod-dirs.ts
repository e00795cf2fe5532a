import { join } from '@nodeagent/api/helpers';
import { checkedPodUid, type PodDirs } from './pod-dirs.js';

/** Pod directories of simulated nodes; nothing is created on disk. With `files`, removing a pod's directory removes the files below it. */
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
