import { readdir, readFile } from 'node:fs/promises';

/** Where configuration files are read from. Paths are absolute. */
export interface ConfigFiles {
  readText(path: string): Promise<string>;
  /** The entries of a folder, in any order. A symbolic link is not a folder. */
  list(path: string): Promise<{ name: string; isFolder: boolean }[]>;
}

/** The node's file system. */
export const nodeConfigFiles: ConfigFiles = {
  readText: (path) => readFile(path, 'utf8'),
  list: async (path) =>
    (await readdir(path, { withFileTypes: true })).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() })),
};
