import { lstat } from 'node:fs/promises';
import { fileSystemUsage, type TreeEntry, type VolumeUsage, walkTree } from '@nodeagent/api';

/** Usage of a folder on a shared file system: used bytes and inodes are those of the folder's content. */
export async function folderUsage(path: string, signal: AbortSignal): Promise<VolumeUsage> {
  const { bytes, inodes } = await diskUsage(path, signal);
  return { ...(await fileSystemUsage(path)), usedBytes: bytes, inodesUsed: inodes };
}

const blockBytes = 512n;

/**
 * Bytes and inodes of a folder with its content, counted as du(1) does: a file with several hard links once, no other mounts, no symbolic links
 * followed. Files that are removed meanwhile are not counted. See {@link walkTree} for what a container that changes the folder meanwhile can do.
 */
export async function diskUsage(root: string, signal: AbortSignal): Promise<{ bytes: bigint; inodes: bigint }> {
  const total = { bytes: 0n, inodes: 0n };
  const counted = new Set<bigint>();

  async function count({ place, kind }: TreeEntry): Promise<void> {
    if (kind === 'mount') return;
    const { ino, nlink, blocks } = await lstat(place, { bigint: true });
    if (nlink > 1n && kind !== 'folder') {
      if (counted.has(ino)) return;
      counted.add(ino);
    }
    total.bytes += blocks * blockBytes;
    total.inodes++;
  }
  await walkTree(root, count, signal);
  return total;
}
