import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { maxSocketPathBytes } from '../helpers/socket-path.js';
import { handlePath } from './file-handles.js';

/** A path of a folder for the paths of sockets in it; valid until released. */
export interface ShortFolder {
  path: string;
  /** Idempotent. */
  release(): Promise<void>;
}

/**
 * Returns a path of the folder with which the paths of sockets are within the kernel's length limit. If its own is too long, the path refers
 * to an open handle in /proc/self/fd.
 *
 * @param name - the longest name of a socket in the folder
 */
export async function shortFolderPath(folder: string, name: string): Promise<ShortFolder> {
  if (Buffer.byteLength(folder) + 1 + Buffer.byteLength(name) <= maxSocketPathBytes) return { path: folder, release: async () => {} };
  let handle: FileHandle | undefined = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: handlePath(handle.fd),
    async release() {
      const open = handle;
      handle = undefined;
      await open?.close();
    },
  };
}
