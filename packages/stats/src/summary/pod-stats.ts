import type { ContainerStats, CpuStats, FsStats, MemoryStats, NetworkStats, PodStats, PodVolumeStats, Time } from '@nodeagent/api';
import { formatNanos } from '@nodeagent/api/helpers';
import type { CpuUsage, FilesystemUsage, LinuxPodSandboxStats } from '@nodeagent/cri-api';
import { type CgroupStats, cgroupStats } from '../cgroup/cgroup-stats.js';
import type { RatedSample } from '../cgroup/sampler.js';
import { criCpu, criIo, criMemory, criNetwork, criSwap } from '../cri/container-stats.js';
import type { DiskUsage, FileSystemUsage } from '../fs/file-systems.js';
import { ephemeralStorage } from './ephemeral-storage.js';
import type { ContainerEntry, PodEntry } from './pod-entries.js';
import { podSums } from './pod-sums.js';

/** The measurements of one pod in addition to the runtime's stats; unknown values are absent. */
export interface PodMeasurements {
  /** When the files were measured. */
  time: Time;
  /** The pod's cgroup. */
  cgroup?: RatedSample;
  /** Containers' cgroups, by id. */
  containers: ReadonlyMap<string, RatedSample>;
  network?: NetworkStats;
  /** The CPU rate of a container, also if the runtime reports only a counter. */
  rateOf(containerId: string, cpu: CpuUsage | undefined): bigint | undefined;
  /** The node's root file system. */
  rootFs?: FsStats;
  /** The file system at a mount point that the runtime reports. */
  fileSystemAt(mountpoint: string): FileSystemUsage | undefined;
  /** Logs of a container, by its name. */
  logs?: ReadonlyMap<string, DiskUsage>;
  podLogs?: DiskUsage;
  etcHosts?: DiskUsage;
  volumes?: PodVolumeStats;
}

/** A pod's stats: those of cgroups where known, else those of the runtime. */
export function podStats(pod: PodEntry, measured: PodMeasurements): PodStats {
  const containers = pod.containers.map((container) => containerStats(container, measured));
  const linux = pod.sandboxStats?.linux;
  const own = podLevelStats(linux, measured);
  const sums = own.cpu === undefined || own.memory === undefined ? podSums(containers) : {};
  const { volumes, rootFs, time } = measured;
  const count = processCount(pod, measured) ?? linux?.process?.processCount?.value;
  return {
    podRef: pod.podRef,
    startTime: pod.startTime,
    containers,
    cpu: own.cpu ?? sums.cpu,
    memory: own.memory ?? sums.memory,
    io: own.io,
    network: measured.network ?? criNetwork(linux?.network),
    volume: volumes && [...volumes.ephemeral, ...volumes.persistent],
    'ephemeral-storage': ephemeralStorage({
      rootFs,
      containers,
      ephemeralVolumes: volumes?.ephemeral ?? [],
      podLogs: usedOnDisk(time, measured.podLogs),
      etcHosts: usedOnDisk(time, measured.etcHosts),
    }),
    process_stats: count === undefined ? undefined : { process_count: count },
    swap: own.swap ?? sums.swap,
  };
}

function podLevelStats(linux: LinuxPodSandboxStats | undefined, { cgroup }: PodMeasurements): CgroupStats {
  if (cgroup !== undefined) return cgroupStats(cgroup.sample, cgroup.usageNanoCores);
  return { cpu: criCpu(linux?.cpu, linux?.cpu?.usageNanoCores?.value), memory: criMemory(linux?.memory), io: criIo(linux?.io) };
}

function processCount(pod: PodEntry, { containers }: PodMeasurements): bigint | undefined {
  let count: bigint | undefined;
  for (const { id } of pod.containers) {
    const processes = containers.get(id)?.sample.processes;
    if (processes !== undefined) count = (count ?? 0n) + BigInt(processes);
  }
  return count;
}

function containerStats({ id, name, startTime, stats }: ContainerEntry, measured: PodMeasurements): ContainerStats {
  const rated = measured.containers.get(id);
  const cgroup: CgroupStats = rated === undefined ? {} : cgroupStats(rated.sample, rated.usageNanoCores);
  const cpu: CpuStats | undefined = cgroup.cpu ?? criCpu(stats?.cpu, measured.rateOf(id, stats?.cpu));
  const memory: MemoryStats | undefined = cgroup.memory ?? criMemory(stats?.memory);
  return {
    name,
    startTime,
    cpu,
    memory,
    io: cgroup.io ?? criIo(stats?.io),
    rootfs: writableLayer(stats?.writableLayer, measured),
    logs: onRootFs(measured.logs?.get(name), measured),
    swap: cgroup.swap ?? criSwap(stats?.swap),
  };
}

function writableLayer(layer: FilesystemUsage | undefined, { fileSystemAt }: PodMeasurements): FsStats | undefined {
  return layer && runtimeFs(layer, fileSystemAt(layer.fsId?.mountpoint ?? ''));
}

/** The usage that the runtime reports, with the size of its file system. */
export function runtimeFs({ timestamp, usedBytes, inodesUsed }: FilesystemUsage, fileSystem: FileSystemUsage | undefined): FsStats {
  return {
    time: formatNanos(timestamp),
    availableBytes: fileSystem?.availableBytes,
    capacityBytes: fileSystem?.capacityBytes,
    usedBytes: usedBytes?.value,
    inodesFree: fileSystem?.inodesFree,
    inodes: fileSystem?.inodes,
    inodesUsed: inodesUsed?.value,
  };
}

/** A file system as a whole. */
export function wholeFs(time: Time, { availableBytes, capacityBytes, usedBytes, inodesFree, inodes }: FileSystemUsage): FsStats {
  return { time, availableBytes, capacityBytes, usedBytes, inodesFree, inodes, inodesUsed: inodes - inodesFree };
}

function usedOnDisk(time: Time, usage: DiskUsage | undefined): FsStats | undefined {
  return usage && { time, usedBytes: usage.bytes, inodesUsed: usage.inodes };
}

function onRootFs(used: DiskUsage | undefined, { time, rootFs }: PodMeasurements): FsStats | undefined {
  if (used === undefined || rootFs === undefined) return usedOnDisk(time, used);
  const { availableBytes, capacityBytes, inodesFree, inodes } = rootFs;
  return { time, availableBytes, capacityBytes, usedBytes: used.bytes, inodesFree, inodes, inodesUsed: used.inodes };
}
