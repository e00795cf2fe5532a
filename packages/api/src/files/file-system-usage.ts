import { statfs } from 'node:fs/promises';
import type { VolumeUsage } from '../contracts/volume-plugin.js';

/** Usage of the file system that contains the path, by statfs(2). Available bytes are those for users other than root. */
export async function fileSystemUsage(path: string): Promise<VolumeUsage> {
  const { bsize, blocks, bfree, bavail, files, ffree } = await statfs(path, { bigint: true });
  return {
    capacityBytes: blocks * bsize,
    availableBytes: bavail * bsize,
    usedBytes: (blocks - bfree) * bsize,
    inodes: files,
    inodesFree: ffree,
    inodesUsed: files - ffree,
  };
}
