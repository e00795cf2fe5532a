import { createReadStream, createWriteStream } from 'node:fs';
import { link, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** The file operations of a rotation. Paths are absolute. */
export interface LogFiles {
  /** In bytes; undefined if there is no such file. */
  size(path: string): Promise<number | undefined>;
  /** Names in a folder; empty if there is no such folder. */
  list(path: string): Promise<string[]>;
  /** Nothing there is fine. */
  remove(path: string): Promise<void>;
  /** Gives the file another name, in place of a file that has it. */
  rename(from: string, to: string): Promise<void>;
  /** As `rename`, but never in place of another file: false if there is one, and both stay. */
  renameUnlessThere(from: string, to: string): Promise<boolean>;
  /** Writes the compressed content of `from` to `to`, with the same mode and on disk when it resolves. Ends early when the signal aborts. */
  gzip(from: string, to: string, signal: AbortSignal): Promise<void>;
}

/** The node's file system; compression takes about 300 KB of memory whatever the size. */
export const nodeLogFiles: LogFiles = {
  size: async (path) => (await unlessAbsent(stat(path)))?.size,
  list: async (path) => (await unlessAbsent(readdir(path))) ?? [],
  remove: (path) => rm(path, { force: true }),
  rename,
  async renameUnlessThere(from, to) {
    try {
      await link(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      // A file system without hard links: the best there is.
      if ((await unlessAbsent(stat(to))) !== undefined) return false;
      await rename(from, to);
      return true;
    }
    await unlink(from);
    return true;
  },
  async gzip(from, to, signal) {
    const { mode } = await stat(from);
    await rm(to, { force: true });
    const target = createWriteStream(to, { mode: mode & 0o777, flush: true });
    await pipeline(createReadStream(from), createGzip(), target, { signal });
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
