/**
 * Resource usage of a node, its pods and containers: read from cgroup v1 and v2, /proc, file systems and CRI stats, and reported as the
 * Summary API and as Prometheus metrics. The pure functions are exported from `@nodeagent/stats/decisions`.
 *
 * @packageDocumentation
 */
export { type CgroupReader, type CgroupReaderOptions, createCgroupReader, type SampleOptions } from './cgroup/cgroup-reader.js';
export type { CgroupDetail, CgroupSample, CpuSample, DeviceIo, MemoryLimits, MemorySample } from './cgroup/cgroup-sample.js';
export type { CgroupPaths } from './cgroup/cgroup-tree.js';
export type { InterfaceCounters } from './cgroup/proc-files.js';
export { statsErrorCodes } from './errors.js';
export {
  type DiskUsage,
  type FileSystems,
  type FileSystemUsage,
  type FolderUsage,
  type KnownFile,
  nodeFileSystems,
} from './fs/file-systems.js';
export { type ContainerMetricsInput, containerMetrics, type MeasuredCgroup, type MeasuredMachine } from './metrics/container-metrics.js';
export { resourceMetrics } from './metrics/resource-metrics.js';
export type { StatsProviderOptions, StatsRuntime } from './provider/options.js';
export { createStatsPages, type StatsPages } from './provider/stats-pages.js';
export { createStatsProvider } from './provider/stats-provider.js';
export { chooseStatsSource, type StatsSource } from './provider/stats-source.js';
export { parseSummary } from './summary/parse-summary.js';
export { onlyCpuAndMemory, summaryJson } from './summary/summary-json.js';
export { volumeStatsSettings } from './volumes/settings.js';
export { createVolumeStatsCache, type VolumeStatsCache, type VolumeStatsCacheOptions } from './volumes/volume-stats-cache.js';
