/** A config.json of the OCI runtime specification, as much of it as containers of pods have. */
export interface OciSpec {
  ociVersion: string;
  root: { path: string; readonly: boolean };
  process: OciProcess;
  hostname?: string;
  mounts: readonly OciMount[];
  hooks?: OciHooks;
  annotations?: Readonly<Record<string, string>>;
  linux: OciLinux;
}

export interface OciProcess {
  args: readonly string[];
  /** `NAME=value`, each name once. */
  env: readonly string[];
  cwd: string;
  terminal: boolean;
  user: { uid: number; gid: number; additionalGids?: readonly number[] };
  noNewPrivileges: boolean;
  capabilities: OciCapabilities;
  rlimits?: readonly OciRlimit[];
  oomScoreAdj?: number;
  apparmorProfile?: string;
  selinuxLabel?: string;
}

/** Names such as `CAP_CHOWN` in each set of capabilities(7). */
export interface OciCapabilities {
  bounding: readonly string[];
  effective: readonly string[];
  permitted: readonly string[];
  inheritable: readonly string[];
  ambient: readonly string[];
}

/** A limit of setrlimit(2), such as `RLIMIT_NOFILE`. */
export interface OciRlimit {
  type: string;
  soft: number;
  hard: number;
}

export interface OciMount {
  destination: string;
  type: string;
  source: string;
  options: readonly string[];
  uidMappings?: readonly OciIdMapping[];
  gidMappings?: readonly OciIdMapping[];
}

export interface OciIdMapping {
  containerID: number;
  hostID: number;
  size: number;
}

export type OciHookName = 'prestart' | 'createRuntime' | 'createContainer' | 'startContainer' | 'poststart' | 'poststop';

export type OciHooks = Partial<Record<OciHookName, readonly OciHook[]>>;

export interface OciHook {
  path: string;
  args?: readonly string[];
  env?: readonly string[];
  /** In seconds. */
  timeout?: number;
}

export interface OciLinux {
  namespaces: readonly OciNamespace[];
  uidMappings?: readonly OciIdMapping[];
  gidMappings?: readonly OciIdMapping[];
  devices: readonly OciDevice[];
  cgroupsPath: string;
  resources: OciResources;
  rootfsPropagation?: 'rprivate' | 'rslave' | 'rshared';
  seccomp?: OciSeccomp;
  sysctl?: Readonly<Record<string, string>>;
  maskedPaths: readonly string[];
  readonlyPaths: readonly string[];
  mountLabel?: string;
}

export type OciNamespaceType = 'pid' | 'network' | 'mount' | 'ipc' | 'uts' | 'user' | 'cgroup';

/** A namespace that the container joins by its path, or a new one without a path. */
export interface OciNamespace {
  type: OciNamespaceType;
  path?: string;
}

/** A device node: character device, unbuffered character device, block device or FIFO. */
export type OciDeviceType = 'c' | 'u' | 'b' | 'p';

export interface OciDevice {
  path: string;
  type: OciDeviceType;
  /** Absent for a FIFO. */
  major?: number;
  minor?: number;
  /** Permission bits, such as 0o660. */
  fileMode?: number;
  uid?: number;
  gid?: number;
}

/** A rule of the devices controller. Without a number it is for all. */
export interface OciDeviceRule {
  allow: boolean;
  type?: 'a' | 'c' | 'b';
  major?: number;
  minor?: number;
  /** Letters of `rwm`: read, write, mknod. */
  access: string;
}

/** Limits of cgroups, in the units of cgroup v1; runtimes convert them for v2. Absent members stay as they are. */
export interface OciResources {
  devices?: readonly OciDeviceRule[];
  memory?: { limit?: number; swap?: number };
  cpu?: { shares?: number; quota?: number; period?: number; cpus?: string; mems?: string };
  pids?: { limit: number };
  hugepageLimits?: readonly { pageSize: string; limit: number }[];
  unified?: Readonly<Record<string, string>>;
}

export interface OciSeccomp {
  defaultAction: string;
  defaultErrnoRet?: number;
  architectures?: readonly string[];
  flags?: readonly string[];
  listenerPath?: string;
  listenerMetadata?: string;
  syscalls?: readonly OciSyscallRule[];
}

export interface OciSyscallRule {
  names: readonly string[];
  action: string;
  errnoRet?: number;
  args?: readonly OciSyscallArgument[];
}

export interface OciSyscallArgument {
  /** Number of the argument, from 0. */
  index: number;
  value: number;
  valueTwo?: number;
  op: string;
}
