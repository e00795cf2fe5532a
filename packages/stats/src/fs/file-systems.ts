import { lstatSync, type Stats } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@nodeagent/api';
import { fileSystemUsage } from '@nodeagent/api/files';

/** Size of a file system. */
export interface FileSystemUsage {
  capacityBytes: bigint;
  /** Free space for users other than root. */
  availableBytes: bigint;
  usedBytes: bigint;
  inodes: bigint;
  inodesFree: bigint;
}

/** Disk usage of files. */
export interface DiskUsage {
  bytes: bigint;
  inodes: bigint;
}

/** Disk usage of the files in a folder. */
export interface FolderUsage extends DiskUsage {
  /** The files that were counted. Absent if `lstat` may be slow, as on a network file system. */
  files?: readonly KnownFile[];
}

export interface KnownFile {
  path: string;
  inode: number;
}

/** The file-system calls of stats. Paths are absolute. */
export interface FileSystems {
  /** Usage of the file system that the path is on; undefined if there is no such path or device. */
  usage(path: string): Promise<FileSystemUsage | undefined>;
  /** Usage of the regular files directly in a folder; undefined if there is no such folder. */
  filesIn(folder: string): Promise<FolderUsage | undefined>;
  /**
   * Measures the files of a recent result of `filesIn` synchronously, without reading their folder, so files created since are not counted.
   * Undefined if one of them was removed or replaced, or if the result names no files. Default: the folder is read each time.
   */
  again?(known: FolderUsage): FolderUsage | undefined;
  /** Usage of one regular file; undefined if there is none. */
  file(path: string): Promise<DiskUsage | undefined>;
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO']);
/** The unit of `blocks` in stat(2), independent of the block size of the file system. */
const blockBytes = 512n;
/** Local file systems by their magic number in statfs(2): ext, XFS, Btrfs, F2FS, ZFS, overlay, tmpfs. */
const local = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x794c7630, 0x01021994]);

/** The node's file systems. */
export const nodeFileSystems: FileSystems = {
  usage: (path) => orAbsent(fileSystemUsage(path)),

  filesIn: (folder) => orAbsent(readFolder(folder)),

  again: ({ files }) => files && measureAgain(files),

  async file(path) {
    const stats = await orAbsent(lstat(path));
    return stats?.isFile() ? { bytes: bytesOf(stats), inodes: 1n } : undefined;
  },
};

async function orAbsent<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (absent.has(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function readFolder(folder: string): Promise<FolderUsage> {
  const files: KnownFile[] = [];
  let bytes = 0n;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(folder, entry.name);
    // A file that was removed since the folder was read counts as 0 bytes.
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) continue;
    bytes += bytesOf(stats);
    files.push({ path, inode: stats.ino });
  }
  const { type } = await statfs(folder);
  return { bytes, inodes: BigInt(files.length), ...(local.has(type) && { files }) };
}

/**
 * Undefined if a file was removed or replaced. Synchronous on purpose: the inodes are in the kernel's cache, where an asynchronous call takes
 * ten times as long.
 */
function measureAgain(files: readonly KnownFile[]): FolderUsage | undefined {
  let bytes = 0n;
  for (const { path, inode } of files) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.ino !== inode) return undefined;
    bytes += bytesOf(stats);
  }
  return files.length === 0 ? undefined : { bytes, inodes: BigInt(files.length), files };
}

const bytesOf = ({ blocks }: Stats): bigint => BigInt(blocks) * blockBytes;
