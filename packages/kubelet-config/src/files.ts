import { readdir, readFile } from 'node:fs/promises';

/** Access to configuration files. Paths are absolute. */
export interface ConfigFiles {
  readText(path: string): Promise<string>;
  /** The entries of a directory, in any order. A symbolic link does not count as a directory. */
  list(path: string): Promise<{ name: string; isFolder: boolean }[]>;
}

/** The node's file system. */
export const nodeConfigFiles: ConfigFiles = {
  readText: (path) => readFile(path, 'utf8'),
  list: async (path) =>
    (await readdir(path, { withFileTypes: true })).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() })),
};
