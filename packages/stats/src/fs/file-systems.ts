import { lstatSync, type Stats } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, fileSystemUsage } from '@nodeagent/api';

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

/** What the files of a folder take. */
export interface FolderUsage extends DiskUsage {
  /** Which files these are; absent where looking at them again may take long, as over a network. */
  files?: readonly KnownFile[];
}

export interface KnownFile {
  path: string;
  inode: number;
}

/** What stats ask file systems. Paths are absolute. */
export interface FileSystems {
  /** Of the file system that the path is on; undefined if there is no such path or device. */
  usage(path: string): Promise<FileSystemUsage | undefined>;
  /** Of the regular files directly in a folder; undefined if there is no such folder. */
  filesIn(folder: string): Promise<FolderUsage | undefined>;
  /**
   * The same of files that a recent answer names, at once and without their folder: a file that came beside them is missed. Undefined if
   * one of them is gone or has another in its place, and where looking may take long. Default: folders are read each time.
   */
  again?(known: FolderUsage): FolderUsage | undefined;
  /** Of one regular file; undefined if there is none. */
  file(path: string): Promise<DiskUsage | undefined>;
}

const absent = new Set(['ENOENT', 'ENOTDIR', 'ENODEV', 'ENXIO']);
/** The unit in which a file's blocks are counted, whatever those of its file system are. */
const blockBytes = 512n;
/** File systems on a disk or in memory, by what statfs(2) calls them: ext, XFS, Btrfs, F2FS, ZFS, overlay, tmpfs. */
const local = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x794c7630, 0x01021994]);

/** The node's file systems. */
export const nodeFileSystems: FileSystems = {
  usage: (path) => orAbsent(fileSystemUsage(path)),

  filesIn: (folder) => orAbsent(readFolder(folder)),

  again: ({ files }) => files && lookAgain(files),

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
    // A file that goes meanwhile takes nothing.
    const stats = await lstat(path).catch(() => undefined);
    if (stats === undefined) continue;
    bytes += bytesOf(stats);
    files.push({ path, inode: stats.ino });
  }
  const { type } = await statfs(folder);
  return { bytes, inodes: BigInt(files.length), ...(local.has(type) && { files }) };
}

/**
 * Undefined unless these files are there and none has another in its place. Synchronous on purpose: what was looked at a moment ago is in
 * memory, where a thread's help would take ten times as long as the look.
 */
function lookAgain(files: readonly KnownFile[]): FolderUsage | undefined {
  let bytes = 0n;
  for (const { path, inode } of files) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.ino !== inode) return undefined;
    bytes += bytesOf(stats);
  }
  return files.length === 0 ? undefined : { bytes, inodes: BigInt(files.length), files };
}

const bytesOf = ({ blocks }: Stats): bigint => BigInt(blocks) * blockBytes;
