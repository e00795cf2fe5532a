import { readdir, stat } from 'node:fs/promises';
import { openRegularFile } from '@nodeagent/api/files';

/** The file or folder at a path, symlinks followed. */
export interface ManifestStat {
  kind: 'file' | 'directory' | 'other';
  /** Device and inode: changes when the path is replaced by another file or folder. */
  id: string;
  /** In bytes. */
  size: number;
}

/** The part of a file system that the file source uses. Each call may reject; {@link stat} returns undefined for a missing path. */
export interface ManifestFileSystem {
  stat(path: string): Promise<ManifestStat | undefined>;
  /** The names in a folder, in any order. */
  list(directory: string): Promise<string[]>;
  /** The whole content of a regular file. */
  read(file: string): Promise<Uint8Array>;
}

/** The node's file system. */
export const nodeFileSystem: ManifestFileSystem = {
  async stat(path) {
    try {
      const found = await stat(path);
      const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
      return { kind, id: `${found.dev}:${found.ino}`, size: found.size };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  list: (directory) => readdir(directory),
  async read(file) {
    const handle = await openRegularFile(file);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  },
};

/** Whether an error of `node:fs` means that the path is missing. */
export function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
