import { readdir, readFile, stat } from 'node:fs/promises';

/** What lies at a path, symlinks followed. */
export interface ManifestStat {
  kind: 'file' | 'directory' | 'other';
  /** Tells it from another file or folder that takes its place. */
  id: string;
  /** In bytes. */
  size: number;
}

/** The little of a file system that the file source uses. Each call may reject; {@link stat} answers undefined for what is not there. */
export interface ManifestFileSystem {
  stat(path: string): Promise<ManifestStat | undefined>;
  /** The names in a folder, in any order. */
  list(directory: string): Promise<string[]>;
  /** The whole content. */
  read(file: string): Promise<Uint8Array>;
}

/** The node's own file system. */
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
  read: (file) => readFile(file),
};

/** Whether an error of `node:fs` says that the path is not there. */
export function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
