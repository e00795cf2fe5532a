import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, statSync, writeSync } from 'node:fs';
import { type LockHolder, lockOnMachine } from '@nodeagent/api/files';

/** The operations on cgroup file systems. Rejections carry the errno as `code`. */
export interface CgroupFiles {
  /** Creates one folder. */
  mkdir(path: string): Promise<void>;
  /** Removes one folder; the kernel's files in it do not count. */
  rmdir(path: string): Promise<void>;
  /** Whether the path is a folder. */
  isFolder(path: string): Promise<boolean>;
  /** Names of the folders in a folder. */
  folders(path: string): Promise<string[]>;
  /** Names of the files in a folder. */
  files(path: string): Promise<string[]>;
  read(path: string): Promise<string>;
  /** Writes an existing file in one call. */
  write(path: string, text: string): Promise<void>;
  /** Sends SIGKILL to a process. A process that has exited is no error. */
  kill(pid: number): void;
  /**
   * Locks an existing cgroup among the agents on the machine until the returned function is called or the process ends. Rejects with `heldBy`
   * if another one holds it. Default: no other agent can use these files.
   */
  lock?(path: string, heldBy: (holder: LockHolder | undefined) => Error): Promise<() => void>;
}

const entriesOf = (path: string, areFolders: boolean) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() === areFolders)
    .map(({ name }) => name);

/**
 * The machine's cgroup file systems. They are the kernel's memory, so no operation waits for a disk: synchronous calls cost a tenth of the
 * CPU of a trip through the thread pool (docs/decisions/0057-call-cgroup-files-synchronously.md).
 */
export const machineCgroupFiles: CgroupFiles & Required<Pick<CgroupFiles, 'lock'>> = {
  async mkdir(path) {
    mkdirSync(path, { mode: 0o755 });
  },
  async rmdir(path) {
    rmdirSync(path);
  },
  isFolder: async (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  folders: async (path) => entriesOf(path, true),
  files: async (path) => entriesOf(path, false),
  read: async (path) => readFileSync(path, 'utf8'),
  async write(path, text) {
    // Without O_CREAT and O_TRUNC: cgroup file systems have only the kernel's files.
    const file = openSync(path, constants.O_WRONLY);
    try {
      writeSync(file, text);
    } finally {
      closeSync(file);
    }
  },
  kill(pid) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  },
  // A cgroup has the same inode in all namespaces, where its path differs.
  lock: async (path, heldBy) => lockOnMachine(`cgroup-${statSync(path, { bigint: true }).ino}.lock`, heldBy),
};
