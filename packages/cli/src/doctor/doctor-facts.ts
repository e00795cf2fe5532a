import type { RuntimeFacts } from '../machine/runtime-facts.js';
import type { CgroupMounts, KernelVersion } from './parse-machine.js';

/** What the checks know of the machine. */
export interface DoctorFacts extends RuntimeFacts {
  kernel: KernelVersion;
  /** As Node names it. */
  architecture: string;
  /** Versions that the programs report, by name. A program without a readable version has none. */
  versions: Readonly<Record<string, string>>;
  cgroups: CgroupMounts;
  /** The CNI configurations: the networks of the valid files, and why others are none. */
  networks: readonly { file: string; problem?: string }[];
  /** Folders that have CNI plugins. */
  cniPluginDirs: readonly string[];
  /** Those that the kernel has loaded. */
  fileSystems: readonly string[];
  /** The file system of the agent's root directory, or of the parent of a missing one. */
  storage: Storage;
  hasSeccomp: boolean;
  /** Of AppArmor and SELinux those that are enabled. */
  securityModules: readonly string[];
  /** Integers of /proc/sys by their paths. */
  sysctls: Readonly<Record<string, number>>;
  /** TCP ports that processes listen on. */
  ports: readonly number[];
  swapBytes: number;
  clock: Clock;
}

interface Storage {
  path: string;
  /** `ext4` */
  type: string;
  availableBytes: number;
  totalBytes: number;
  availableInodes: number;
  totalInodes: number;
}

interface Clock {
  /** Milliseconds since 1970. */
  now: number;
  /** The running programs that set the clock. */
  services: readonly string[];
}
