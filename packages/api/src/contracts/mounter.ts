/** A mount to make. */
export interface MountRequest {
  /** Device, folder, `server:path`, or a descriptive name (`tmpfs`). */
  source: string;
  target: string;
  /** Default: mount(8) detects it. */
  fsType?: string;
  /**
   * Values of `-o`. With `bind` the mounter makes two calls, because the kernel applies the other options of a bind mount only on a
   * remount.
   */
  options?: readonly string[];
  /** Further values of `-o`, which never appear in logs and errors. */
  sensitiveOptions?: readonly string[];
  /** Arguments before all others, such as `--no-canonicalize`. */
  flags?: readonly string[];
  /** The folder that relative names in the options begin at. Default: that of this process. */
  cwd?: string;
}

/** A line of `/proc/<pid>/mountinfo`: proc_pid_mountinfo(5). */
export interface MountInfo {
  id: number;
  parentId: number;
  major: number;
  minor: number;
  /** The path within the file system that is mounted. */
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
 * Mounts and unmounts on the node. Calls for different targets may run concurrently. A call whose signal has aborted has no effect and
 * rejects with its reason.
 */
export interface Mounter {
  /** Whether this process has the privilege to mount. If not, volumes that need a mount fail with `MountNotPermitted`. */
  readonly canMount: boolean;
  /** Not idempotent: a target that was mounted twice must be unmounted twice. Rejects with `MountFailed` or `MountNotPermitted`. */
  mount(request: MountRequest, signal?: AbortSignal): Promise<void>;
  /** Succeeds if nothing is mounted on the target. Rejects with `MountFailed`, for example while files in it are open. */
  unmount(target: string, signal?: AbortSignal): Promise<void>;
  /** All mounts that this process sees. A mount comes before those that cover it. A copy. */
  list(): Promise<MountInfo[]>;
  /** Whether the kernel's tmpfs supports the option `noswap`. */
  canRefuseSwap(): Promise<boolean>;
  /**
   * Runs a tool for file systems or devices (blkid, mkfs, fsck, losetup) and resolves to its output and exit code. Rejects only if the tool
   * cannot be run.
   * @param cwd - the tool's folder. Default: that of this process.
   */
  run(command: string, args: readonly string[], signal?: AbortSignal, cwd?: string): Promise<ToolResult>;
}

export interface ToolResult {
  exitCode: number;
  /** Its standard output. */
  stdout: string;
  /** Its standard error. */
  stderr: string;
}
