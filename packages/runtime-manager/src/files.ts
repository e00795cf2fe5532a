import { access, chmod, mkdir, open, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';

/** The few file operations beside containers: logs, hosts files, termination messages. Paths are absolute. */
export interface PodFiles {
  /** Creates the folder and its parents; an existing one is fine. */
  makeDirectory(path: string, mode: number): Promise<void>;
  /** Replaces the file's content; the mode holds whatever the process's umask. */
  writeFile(path: string, content: string, mode: number): Promise<void>;
  /** The whole text; undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>;
  /** The last bytes, at most `maxBytes`; undefined if there is no such file. */
  readTail(path: string, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Names in a folder; empty if there is no such folder. */
  list(path: string): Promise<string[]>;
  /** Whether something is there; of a link, whether its target is. */
  exists(path: string): Promise<boolean>;
  /** Removes a file, link or whole folder; nothing there is fine. */
  remove(path: string): Promise<void>;
  /** Makes `path` a symbolic link, in place of one that is there. */
  symlink(target: string, path: string): Promise<void>;
}

/** The node's file system. */
export const nodeFiles: PodFiles = {
  async makeDirectory(path, mode) {
    await mkdir(path, { recursive: true, mode });
  },
  async writeFile(path, content, mode) {
    await writeFile(path, content, { mode });
    await chmod(path, mode);
  },
  readText: (path) => unlessAbsent(readFile(path, 'utf8')),
  async readTail(path, maxBytes) {
    const file = await unlessAbsent(open(path, 'r'));
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      const length = Math.min(size, maxBytes);
      const { buffer, bytesRead } = await file.read(new Uint8Array(length), 0, length, size - length);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  },
  list: async (path) => (await unlessAbsent(readdir(path))) ?? [],
  exists: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  remove: (path) => rm(path, { recursive: true, force: true }),
  async symlink(target, path) {
    await rm(path, { force: true });
    await symlink(target, path);
  },
};

async function unlessAbsent<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
