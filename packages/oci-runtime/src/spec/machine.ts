import type { CgroupDriverName } from '@nodeagent/api/helpers';

/** Facts of the machine that a container's specification depends on. */
export interface OciMachine {
  /** The version of the OCI runtime specification to write: `ociRuntimeVersion` reads it from the runtime's output. */
  ociVersion: string;
  /** What the runtime can do with mounts: `ociRuntimeFeatures`. */
  features: OciRuntimeFeatures;
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

/** Options of mounts that older runtimes ignore. A container that needs one must not start without it. */
export interface OciRuntimeFeatures {
  idMappedMounts: boolean;
  recursiveReadOnlyMounts: boolean;
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
export interface OciRuntimeVersion {
  name: string;
  version: string;
  /** The version of the OCI runtime specification that it knows. */
  ociVersion: string;
}

/**
 * Reads the output of `crun --version` or `runc --version`. The version of the specification has no suffix such as `-dev`; a runtime that
 * prints none takes 1.0.0. Undefined for another output.
 */
export function ociRuntimeVersion(output: string): OciRuntimeVersion | undefined {
  const [, name, version] = /^(\S+) version (\S+)/m.exec(output) ?? [];
  if (name === undefined || version === undefined) return undefined;
  const [, ociVersion = '1.0.0'] = /^spec: (\d+\.\d+\.\d+)/m.exec(output) ?? [];
  return { name, version, ociVersion };
}

/** The first versions of runtimes that have each feature; crun had them before, in versions that nodeagent was not tested with. */
const featureVersions: Readonly<Record<string, Record<keyof OciRuntimeFeatures, readonly [number, number]>>> = {
  crun: { idMappedMounts: [1, 8], recursiveReadOnlyMounts: [1, 8] },
  runc: { idMappedMounts: [1, 2], recursiveReadOnlyMounts: [1, 1] },
};

/** The features of a runtime by its version. One of another name has none. */
export function ociRuntimeFeatures({ name, version }: Pick<OciRuntimeVersion, 'name' | 'version'>): OciRuntimeFeatures {
  const [major = 0, minor = 0] = version.split('.', 2).map(Number);
  const has = (feature: keyof OciRuntimeFeatures) => {
    const since = featureVersions[name]?.[feature];
    return since !== undefined && (major > since[0] || (major === since[0] && minor >= since[1]));
  };
  return { idMappedMounts: has('idMappedMounts'), recursiveReadOnlyMounts: has('recursiveReadOnlyMounts') };
}
