import type { MachineTopology } from '@nodeagent/api';

/** Facts about the machine that container resources and pod addresses depend on. */
export interface MachineFacts {
  /** As in Go, such as `arm64`. Default `amd64`. */
  architecture?: string;
  /** Number of logical processors. */
  cpus: number;
  memoryBytes: bigint;
  cgroupVersion: 1 | 2;
  /** As CRI names them: `2MB`, `1GB`. */
  hugePageSizes: string[];
  swapController: boolean;
  swapBytes: bigint;
  /** Existing `/sys/devices/system/cpu/cpu<N>/thermal_throttle`, hidden from containers. */
  maskedPaths: string[];
  /** Whether SELinux is enabled. Default false. */
  selinux?: boolean;
  /** The SELinux label of container files without a label of the pod. Default: volumes are not mounted with labels. */
  seLinuxFileLabel?: string;
  /** Ids for user namespaces of pods: the subordinate ids of the user `kubelet`. Default: all from 65536. */
  podIds?: { first: number; count: number };
  /** Why pods cannot have user namespaces: the subordinate ids of the user `kubelet` are invalid. Undefined if they are valid. */
  podIdsError?: string;
  /** Bytes of a page of memory. Default 4096. */
  pageSize?: number;
  /** CPUs and NUMA nodes. Default: each CPU is a core of one socket, and all memory one NUMA node. */
  topology?: MachineTopology;
}
