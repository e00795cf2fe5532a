import { type Dirent, lstat, readdir, type Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';

/** Size of a file system. */
export interface FileSystemUsage {
  capacityBytes: bigint;
  /** What is free for users other than root. */
  availableBytes: bigint;
  usedBytes: bigint;
  inodes: bigint;
  inodesFree: bigint;
}

/** What files take on disk. */
export interface DiskUsage {
  bytes: bigint;
  inodes: bigint;
}

/** What stats ask file systems. Paths are absolute. */
export interface FileSystems {
  /** Of the file system that the path is on; undefined if there is no such path or device. */
  usage(path: string): Promise<FileSystemUsage | undefined>;
  /** Of the regular files directly in a folder; undefined if there is no such folder. */
  filesIn(folder: string): Promise<DiskUsage | undefined>;
  /** Of one regular file; undefined if there is none. */
  file(path: string): Promise<DiskUsage | undefined>;
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO']);
/** The unit in which a file's blocks are counted, whatever those of its file system are. */
const blockBytes = 512;

/** The node's file systems. */
export const nodeFileSystems: FileSystems = {
  async usage(path) {
    try {
      const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(path, { bigint: true });
      return {
        capacityBytes: blocks * bsize,
        availableBytes: bavail * bsize,
        usedBytes: (blocks - bfree) * bsize,
        inodes: files,
        inodesFree: ffree,
      };
    } catch (error) {
      if (absent.has(errorCode(error) ?? '')) return undefined;
      throw error;
    }
  },

  filesIn: (folder) =>
    new Promise((resolve, reject) => {
      readdir(folder, { withFileTypes: true }, (error, entries) => {
        if (!error) sumFiles(folder, entries, resolve);
        else if (absent.has(error.code ?? '')) resolve(undefined);
        else reject(error);
      });
    }),

  file: (path) =>
    new Promise((resolve, reject) => {
      lstat(path, (error, stats) => {
        if (error && !absent.has(error.code ?? '')) reject(error);
        else resolve(error || !stats.isFile() ? undefined : usageOf(stats));
      });
    }),
};

/** A file that goes meanwhile takes nothing. */
function sumFiles(folder: string, entries: Dirent[], done: (usage: DiskUsage) => void): void {
  const files = entries.filter((entry) => entry.isFile());
  let left = files.length;
  const total = { bytes: 0n, inodes: 0n };
  if (left === 0) done(total);
  for (const { name } of files) {
    lstat(join(folder, name), (error, stats) => {
      if (!error) {
        const { bytes, inodes } = usageOf(stats);
        total.bytes += bytes;
        total.inodes += inodes;
      }
      left--;
      if (left === 0) done(total);
    });
  }
}

const usageOf = ({ blocks }: Stats): DiskUsage => ({ bytes: BigInt(blocks) * BigInt(blockBytes), inodes: 1n });
