import { constants } from 'node:fs';
import { chmod, lchown, lstat, mkdir, mkdtemp, open, readdir, readlink, rename, rmdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { handlePath, pathOnly, removeTree } from '@nodeagent/api/files';

/** An open folder, whose `path` stays that of the same folder when others replace the folder's name by a link. */
export interface OpenFolder {
  readonly path: string;
  close(): Promise<void>;
}

/**
 * The file operations of the atomic writer, those of `node:fs/promises`; a port so that tests can fail any of them. None follows a link at the last
 * name of a path, so that paths in an {@link OpenFolder} lead nowhere else.
 */
export type WriterFiles = typeof nodeWriterFiles;

const folderFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Without O_NONBLOCK a pipe would block one of Node's threads for files. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The node's file system. */
export const nodeWriterFiles = {
  async openFolder(path: string): Promise<OpenFolder> {
    const handle = await open(path, folderFlags);
    return { path: handlePath(handle.fd), close: () => handle.close() };
  },
  async chmod(path: string, mode: number): Promise<void> {
    const handle = await open(path, pathOnly | constants.O_NOFOLLOW);
    try {
      await chmod(handlePath(handle.fd), mode);
    } finally {
      await handle.close();
    }
  },
  lchown: (path: string, uid: number, gid: number) => lchown(path, uid, gid),
  /** Whether the path exists. */
  exists: (path: string) => lstat(path).then(() => true),
  mkdir: (path: string) => mkdir(path),
  mkdtemp: (prefix: string) => mkdtemp(prefix),
  list: (folder: OpenFolder) => readdir(folder.path),
  /** The file's content if it is a regular file of this size, else undefined. Rejects for a folder. */
  async readFile(path: string, size: number): Promise<Uint8Array | undefined> {
    const handle = await open(path, readFlags);
    try {
      const facts = await handle.stat();
      if (facts.isFile() ? facts.size !== size : !facts.isDirectory()) return undefined;
      const { buffer, bytesRead } = await handle.read(new Uint8Array(size), 0, size, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  },
  readlink: (path: string) => readlink(path),
  rename: (from: string, to: string) => rename(from, to),
  removeTree,
  /** Removes a file, link or empty folder. */
  remove: (path: string) =>
    unlink(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EISDIR' && error.code !== 'EPERM') throw error;
      return rmdir(path);
    }),
  symlink: (target: string, path: string) => symlink(target, path),
  /** Creates the file with the mode, less the umask, so that no other user can open it before a later `chmod`. Fails if the path exists. */
  writeFile: (path: string, data: Uint8Array, mode: number) => writeFile(path, data, { mode, flag: 'wx' }),
};
