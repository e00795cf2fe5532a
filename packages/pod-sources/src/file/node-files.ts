import { readdir, stat } from 'node:fs/promises';
import { openRegularFile } from '@nodeagent/api/files';
import { isMissing, type ManifestFileSystem } from './manifest-files.js';

/** The node's file system. */
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
  async read(file) {
    const handle = await openRegularFile(file);
    try {
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  },
};
