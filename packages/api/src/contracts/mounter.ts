/** What is to be mounted where. */
export interface MountRequest {
  /** Device, folder, `server:path`, or a name that says what it is (`tmpfs`). */
  source: string;
  target: string;
  /** Default: mount(8) finds out. */
  fsType?: string;
  /** Of `-o`. With `bind` two calls are made, as the kernel takes further options of a bind mount only by a remount. */
  options?: readonly string[];
  /** Of `-o` too, but never written to logs and errors. */
  sensitiveOptions?: readonly string[];
  /** Put before everything else, such as `--no-canonicalize`. */
  flags?: readonly string[];
}

/** A line of `/proc/<pid>/mountinfo`: proc_pid_mountinfo(5). */
export interface MountInfo {
  id: number;
  parentId: number;
  major: number;
  minor: number;
  /** What of the file system is mounted. */
  root: string;
  mountPoint: string;
  options: string[];
  /** `shared:N`, `master:N`, ... */
  optionalFields: string[];
  fsType: string;
  source: string;
  superOptions: string[];
}

/**
 * Mounts and unmounts on the node. Calls for different targets may run at once. A call whose signal has aborted has no effect and rejects
 * with its reason.
 */
export interface Mounter {
  /** Whether this process may mount at all; without it volumes that need a mount fail with `MountNotPermitted`. */
  readonly canMount: boolean;
  /** Not idempotent: what is mounted twice has to be unmounted twice. Rejects with `MountFailed` or `MountNotPermitted`. */
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  /** A target on which nothing is mounted is fine. Rejects with `MountFailed`, as while files of it are open. */
  unmount(target: string, signal?: AbortSignal): Promise<void>;
  /** All mounts that this process sees, in the order in which they cover each other: the covered one first. A copy. */
  list(): Promise<MountInfo[]>;
  /** Whether tmpfs knows `noswap` here. */
  canRefuseSwap(): Promise<boolean>;
  /**
   * Runs a tool for file systems or devices (blkid, mkfs, fsck, losetup) by its arguments; its exit code is part of the answer. Rejects
   * only if it cannot be run.
   */
  run(command: string, args: readonly string[], signal?: AbortSignal): Promise<ToolResult>;
}

export interface ToolResult {
  exitCode: number;
  /** What it printed. */
  stdout: string;
  /** What it complained. */
  stderr: string;
}
