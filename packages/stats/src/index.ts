/**
 * What a node, its pods and their containers use: read from cgroup v1 and v2, /proc, file systems and CRI stats, told as the Summary API
 * and as Prometheus text.
 *
 * @packageDocumentation
 */
export { type CgroupReader, type CgroupReaderOptions, createCgroupReader, type SampleOptions } from './cgroup/cgroup-reader.js';
export type { CgroupDetail, CgroupSample, CpuSample, DeviceIo, MemorySample } from './cgroup/cgroup-sample.js';
export { type CgroupStats, cgroupStats } from './cgroup/cgroup-stats.js';
export { type CgroupPaths, containerIdOfCgroup, podUidOfCgroup } from './cgroup/cgroup-tree.js';
export { type KernelFile, kernelFile, unlimited } from './cgroup/kernel-file.js';
export { parseCpuV2 } from './cgroup/parse-cpu.js';
export { type MemoryStat, memorySample, parseMemoryStatV1, parseMemoryStatV2 } from './cgroup/parse-memory.js';
export { type InterfaceCounters, parseMeminfo, parseNetDev } from './cgroup/proc-files.js';
export { parsePsi } from './cgroup/psi.js';
export { nanoCores } from './cgroup/rate.js';
export { liveSandboxes, runningContainers, type SandboxEntry } from './cri/live-entries.js';
export { createUsageNanoCores, type UsageNanoCores } from './cri/usage-nano-cores.js';
export { statsErrorCodes } from './errors.js';
export {
  type DiskUsage,
  type FileSystems,
  type FileSystemUsage,
  type FolderUsage,
  type KnownFile,
  nodeFileSystems,
} from './fs/file-systems.js';
export { type ContainerMetricsInput, containerMetrics, type MachineFacts, type MeasuredCgroup } from './metrics/container-metrics.js';
export { resourceMetrics } from './metrics/resource-metrics.js';
export type { StatsProviderOptions, StatsRuntime } from './provider/options.js';
export { createStatsPages, type StatsPages } from './provider/stats-pages.js';
export { createStatsProvider } from './provider/stats-provider.js';
export { chooseStatsSource, type StatsSource } from './provider/stats-source.js';
export { type EphemeralStorageParts, ephemeralStorage } from './summary/ephemeral-storage.js';
export {
  type ContainerEntry,
  type CriListing,
  entriesOfPods,
  entriesOfRuntime,
  entriesOfSandboxStats,
  type PodEntry,
} from './summary/pod-entries.js';
export { type PodMeasurements, podStats } from './summary/pod-stats.js';
export { podSums } from './summary/pod-sums.js';
export { onlyCpuAndMemory, summaryJson } from './summary/summary-json.js';
export { createVolumeStatsCache, type VolumeStatsCache, type VolumeStatsCacheOptions } from './volumes/volume-stats-cache.js';
