/**
 * Resource usage of a node, its pods and containers as the Summary API and as Prometheus metrics. `@nodeagent/stats/node` measures it in
 * cgroups, /proc, file systems and CRI stats. The pure functions are exported from `@nodeagent/stats/decisions`.
 *
 * @packageDocumentation
 */
export type { CgroupDetail, CgroupSample, CpuSample, DeviceIo, MemoryLimits, MemorySample } from './cgroup/cgroup-sample.js';
export type { InterfaceCounters } from './cgroup/proc-files.js';
export { statsErrorCodes } from './errors.js';
export { type ContainerMetricsInput, containerMetrics, type MeasuredCgroup, type MeasuredMachine } from './metrics/container-metrics.js';
export { resourceMetrics } from './metrics/resource-metrics.js';
export { createStatsPages, type StatsPages } from './provider/stats-pages.js';
export { chooseStatsSource, type StatsSource } from './provider/stats-source.js';
export { parseSummary } from './summary/parse-summary.js';
export { onlyCpuAndMemory, summaryJson } from './summary/summary-json.js';
export { volumeStatsSettings } from './volumes/settings.js';
export { createVolumeStatsCache, type VolumeStatsCache, type VolumeStatsCacheOptions } from './volumes/volume-stats-cache.js';
