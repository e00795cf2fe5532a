import { createWriteStream } from 'node:fs';
import { link, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { openRegularFile, unlessAbsent } from '@nodeagent/api/files';
import type { LogFiles } from './log-files.js';

/** The node's file system. Compression uses about 300 KB of memory for any size. */
export const nodeLogFiles: LogFiles = {
  size: async (path) => (await unlessAbsent(stat(path)))?.size,
  list: async (path) => (await unlessAbsent(readdir(path))) ?? [],
  remove: (path) => rm(path, { force: true }),
  rename,
  async renameUnlessExists(from, to) {
    try {
      await link(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      // A file system without hard links: check and rename, which is not atomic.
      if ((await unlessAbsent(stat(to))) !== undefined) return false;
      await rename(from, to);
      return true;
    }
    await unlink(from);
    return true;
  },
  async gzip(from, to, signal) {
    // A rotated log is a file of the runtime: a link was put there by others, and leads to a file that is no log.
    const source = await openRegularFile(from, 'refuse');
    try {
      const { mode } = await source.stat();
      await rm(to, { force: true });
      const target = createWriteStream(to, { flags: 'wx', mode: mode & 0o777, flush: true });
      await pipeline(source.createReadStream({ autoClose: false }), createGzip(), target, { signal });
    } finally {
      await source.close();
    }
  },
};
