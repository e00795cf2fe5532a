import type { LockHolder } from '@nodeagent/api/helpers';

/** Runs one of systemd's programs, `busctl` or `systemctl`. Rejects with its standard error as the message, and with the code `ENOENT` if the program is missing. */
export type RunSystemd = (program: 'busctl' | 'systemctl', args: readonly string[]) => Promise<void>;

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
  /** This process, which `kill` must spare. Default: these files list none of this machine's processes. */
  readonly pid?: number;
  /** Runs systemd's programs. Default: only the driver `cgroupfs` is possible. */
  readonly runSystemd?: RunSystemd;
  /**
   * Locks an existing cgroup among the agents on the machine until the returned function is called or the process ends. Rejects with `heldBy`
   * if another one holds it. Default: no other agent can use these files.
   */
  lock?(path: string, heldBy: (holder: LockHolder | undefined) => Error): Promise<() => void>;
}
