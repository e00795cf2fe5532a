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

/** Whether an error of `node:fs` means that the path is missing. */
export function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
