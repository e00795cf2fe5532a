import type { CgroupDriverName } from '@nodeagent/api/helpers';

/** Facts of the machine that a container's specification depends on. */
export interface MachineFacts {
  /** The version of the OCI runtime specification to write: `runtimeVersion` reads it from the runtime's output. */
  ociVersion: string;
  /** The architecture as Go names it: `amd64`, `arm64`. */
  architecture: string;
  /** The name of the machine, which is the host name of pods in its network. */
  hostname: string;
  /** The capabilities that containers can get, such as `CAP_CHOWN`: `capabilityNames` of `CapBnd` in /proc/self/status. */
  capabilities: readonly string[];
  cgroups: CgroupFacts;
  /** Whether kernel and runtime have seccomp. */
  hasSeccomp: boolean;
  /** Absent if the kernel has no AppArmor. */
  apparmor?: AppArmorFacts;
  /** Absent if SELinux is disabled. */
  selinux?: SelinuxFacts;
  /** The lowest OOM score adjustment that the agent may set: without CAP_SYS_RESOURCE that of its process. Default: -1000. */
  minOomScoreAdj?: number;
}

/** How cgroups are mounted, and who manages them. */
export interface CgroupFacts {
  version: 1 | 2;
  driver: CgroupDriverName;
  /** The controllers that are mounted (version 1) or available (version 2). Limits of others are left out. */
  controllers: readonly string[];
  /** Whether the kernel accounts swap: `memory.memsw.limit_in_bytes` or `memory.swap.max` exists. */
  hasSwap: boolean;
}

export interface AppArmorFacts {
  /** The name of the loaded profile for containers that name none. Absent: they are not confined. */
  defaultProfile?: string;
}

/** The labels of containers that request no other: user, role, type and level of the process, and the type of its files. */
export interface SelinuxFacts {
  user: string;
  role: string;
  processType: string;
  fileType: string;
  /** The level of the pod, such as `s0:c1,c2`: no other pod has its categories. */
  level: string;
}

/** What a program such as crun or runc prints for `--version`. */
export interface RuntimeVersion {
  name: string;
  version: string;
  /** The version of the OCI runtime specification that it knows. */
  ociVersion: string;
}

/**
 * Reads the output of `crun --version` or `runc --version`. The version of the specification has no suffix such as `-dev`; a runtime that
 * prints none takes 1.0.0. Undefined for another output.
 */
export function runtimeVersion(output: string): RuntimeVersion | undefined {
  const [, name, version] = /^(\S+) version (\S+)/m.exec(output) ?? [];
  if (name === undefined || version === undefined) return undefined;
  const [, ociVersion = '1.0.0'] = /^spec: (\d+\.\d+\.\d+)/m.exec(output) ?? [];
  return { name, version, ociVersion };
}
