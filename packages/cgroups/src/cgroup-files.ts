import { constants } from 'node:fs';
import { mkdir, open, readdir, readFile, rmdir } from 'node:fs/promises';

/** The operations on cgroup file systems. Rejections carry the errno as `code`. */
export interface CgroupFiles {
  /** Creates one folder. */
  mkdir(path: string): Promise<void>;
  /** Removes one folder; the kernel's files in it do not count. */
  rmdir(path: string): Promise<void>;
  /** Names of the folders in a folder. */
  folders(path: string): Promise<string[]>;
  /** Names of the files in a folder. */
  files(path: string): Promise<string[]>;
  read(path: string): Promise<string>;
  /** Writes an existing file in one call. */
  write(path: string, text: string): Promise<void>;
  /** Sends SIGKILL to a process. A process that has exited is no error. */
  kill(pid: number): void;
}

const entriesOf = async (path: string, areFolders: boolean) =>
  (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isDirectory() === areFolders).map(({ name }) => name);

/** The machine's cgroup file systems. */
export const machineCgroupFiles: CgroupFiles = {
  async mkdir(path) {
    await mkdir(path, { mode: 0o755 });
  },
  rmdir,
  folders: (path) => entriesOf(path, true),
  files: (path) => entriesOf(path, false),
  read: (path) => readFile(path, 'utf8'),
  async write(path, text) {
    // Without O_CREAT and O_TRUNC: cgroup file systems have only the kernel's files.
    const file = await open(path, constants.O_WRONLY);
    try {
      await file.write(text);
    } finally {
      await file.close();
    }
  },
  kill(pid) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  },
};
