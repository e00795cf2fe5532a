import { closeSync, constants, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, statSync, writeSync } from 'node:fs';
import { lockOnMachine } from '@nodeagent/api/files';
import type { CgroupFiles } from './cgroup-files.js';
import { runSystemd } from './run-systemd.js';

const entriesOf = (path: string, areFolders: boolean) =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() === areFolders)
    .map(({ name }) => name);

/**
 * This machine's cgroup file systems and systemd. The file systems are the kernel's memory, so no operation waits for a disk: synchronous calls cost a tenth of the
 * CPU of a trip through the thread pool (docs/decisions/0057-call-cgroup-files-synchronously.md).
 */
export const machineCgroupFiles: Required<CgroupFiles> = {
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
  pid: process.pid,
  runSystemd,
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
