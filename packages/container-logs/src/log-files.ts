/** The file operations of a rotation. Paths are absolute. */
export interface LogFiles {
  /** In bytes; undefined if the file is missing. */
  size(path: string): Promise<number | undefined>;
  /** The names in a folder; empty if the folder is missing. */
  list(path: string): Promise<string[]>;
  /** Succeeds if the file is missing. */
  remove(path: string): Promise<void>;
  /** Renames the file, replacing an existing one. */
  rename(from: string, to: string): Promise<void>;
  /** As `rename`, but does not replace an existing file: returns false, and both files are kept. */
  renameUnlessExists(from: string, to: string): Promise<boolean>;
  /** Writes the compressed content of `from` to `to`, with the same mode; synced to disk when it resolves. Rejects when the signal aborts, and for a link, a pipe or a device. */
  gzip(from: string, to: string, signal: AbortSignal): Promise<void>;
}
