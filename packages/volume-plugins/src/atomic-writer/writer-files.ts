import {
  chmod,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rmdir,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '@nodeagent/api';

/** The file operations of the atomic writer, those of `node:fs/promises`; a port so that tests can fail any of them. */
export type WriterFiles = typeof nodeWriterFiles;

/** The node's file system. */
export const nodeWriterFiles = {
  chmod: (path: string, mode: number) => chmod(path, mode),
  lchown: (path: string, uid: number, gid: number) => lchown(path, uid, gid),
  /** Whether the path exists, without following a link. */
  exists: (path: string) => lstat(path).then(() => true),
  mkdir: (path: string) => mkdir(path, { recursive: true }).then(() => {}),
  mkdtemp: (prefix: string) => mkdtemp(prefix),
  /** Paths of all files and folders below the folder, relative to it. */
  tree: (path: string) => treeOf(path, ''),
  list: (path: string) => readdir(path),
  readFile: (path: string): Promise<Uint8Array> => readFile(path),
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
  /** Creates the file with the mode, less the umask, so that no other user can open it before a later `chmod`. */
  writeFile: (path: string, data: Uint8Array, mode: number) => writeFile(path, data, { mode }),
};

/** Node's recursive `readdir` follows links to folders. */
async function treeOf(root: string, folder: string): Promise<string[]> {
  const paths: string[] = [];
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    paths.push(path);
    if (entry.isDirectory()) paths.push(...(await treeOf(root, path)));
  }
  return paths;
}
