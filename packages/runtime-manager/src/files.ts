/** File operations for logs, hosts files and termination messages. Paths are absolute. */
export interface PodFiles {
  /** Creates the folder and its parents if they are missing. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Replaces the file's content. The mode is set regardless of the process's umask. */
  writeFile(path: string, content: string, mode: number): Promise<void>;
  /** The file's text; undefined if the file is missing. */
  readText(path: string): Promise<string | undefined>;
  /** The last bytes, at most `maxBytes`; undefined if the file is missing. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** The names in a folder; empty if the folder is missing. */
  list(path: string): Promise<string[]>;
  /** Whether the path exists; for a symbolic link, whether its target exists. */
  exists(path: string): Promise<boolean>;
  /** Removes a file, link or folder with its content. Succeeds if the path is missing. */
  remove(path: string): Promise<void>;
  /** Creates a symbolic link at `path`, replacing an existing one. */
  symlink(target: string, path: string): Promise<void>;
}
