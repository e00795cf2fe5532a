/**
 * Measures the resource usage of this machine, its pods and containers: in cgroup v1 and v2, /proc, file systems and CRI stats.
 *
 * @packageDocumentation
 */
export { type CgroupReader, type CgroupReaderOptions, createCgroupReader, type SampleOptions } from './cgroup/cgroup-reader.js';
export type { CgroupPaths } from './cgroup/cgroup-tree.js';
export {
  type DiskUsage,
  type FileSystems,
  type FileSystemUsage,
  type FolderUsage,
  type KnownFile,
  nodeFileSystems,
} from './fs/file-systems.js';
export type { StatsProviderOptions, StatsRuntime } from './provider/options.js';
export { createStatsProvider } from './provider/stats-provider.js';
