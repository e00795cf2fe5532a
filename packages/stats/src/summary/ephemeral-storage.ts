import type { ContainerStats, FsStats } from '@nodeagent/api';

/** The storage of a pod on the node's root file system; unknown values are absent. */
export interface EphemeralStorageParts {
  /** The node's root file system, which provides capacity, available bytes and inodes. */
  rootFs?: FsStats;
  containers: readonly Pick<ContainerStats, 'rootfs' | 'logs'>[];
  ephemeralVolumes: readonly FsStats[];
  /** Log files of the pod itself, not of a container. */
  podLogs?: FsStats;
  /** The hosts file that is mounted into the pod's containers. */
  etcHosts?: FsStats;
}

/**
 * A pod's `ephemeral-storage`: the bytes and inodes of its containers, their logs, its ephemeral volumes and other files. A container's
 * logs count only if the container's root file system is known. `time` is the newest one of the parts.
 * Undefined if the root file system is unknown.
 */
export function ephemeralStorage({ rootFs, containers, ephemeralVolumes, podLogs, etcHosts }: EphemeralStorageParts): FsStats | undefined {
  if (rootFs === undefined) return undefined;
  const { time, availableBytes, capacityBytes, inodes, inodesFree } = rootFs;
  const total: FsStats = { time, availableBytes, capacityBytes, usedBytes: undefined, inodesFree, inodes, inodesUsed: undefined };
  for (const { rootfs, logs } of containers) {
    if (rootfs === undefined) continue;
    add(total, rootfs);
    if (logs !== undefined) add(total, logs);
  }
  for (const volume of ephemeralVolumes) add(total, volume);
  if (podLogs !== undefined) add(total, podLogs);
  if (etcHosts !== undefined) add(total, etcHosts);
  return total;
}

function add(total: FsStats, { time, usedBytes, inodesUsed }: FsStats): void {
  if (time > total.time) total.time = time;
  if (usedBytes !== undefined) total.usedBytes = (total.usedBytes ?? 0n) + usedBytes;
  if (inodesUsed !== undefined) total.inodesUsed = (total.inodesUsed ?? 0n) + inodesUsed;
}
