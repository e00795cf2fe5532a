import type { LinuxContainerResources, Metric } from '@nodeagent/cri-api';
import type { CgroupDetails } from './cgroup-details.js';
import type { ContainerUsage } from './container-usage.js';
import type { MeasuredContainer } from './cri-stats.js';
import type { InterfaceUsage } from './network-usage.js';
import type { ProcessDetails } from './process-details.js';

/** A container with what only metrics report. */
export interface MetricContainer extends MeasuredContainer {
  details: CgroupDetails;
  processes: ProcessDetails;
  /** That of the writable layer. */
  fileSystem: LayerFileSystem;
}

/** The file system that has the writable layers. */
export interface LayerFileSystem {
  /** What it is mounted from. */
  device: string;
  capacityBytes: bigint;
  inodes: bigint;
  inodesFree: bigint;
}

/** Whose metrics they are. */
export interface MetricSubject {
  usage?: ContainerUsage;
  details: CgroupDetails;
  interfaces?: readonly InterfaceUsage[];
  /** Only of a container. */
  container?: MetricContainer;
  /** Nanoseconds since 1970. */
  now: bigint;
}

/** The values of a metric, each with the values of the further labels. */
type Values = readonly (readonly [value: bigint | undefined, ...labels: string[]])[];

export interface MetricKind {
  name: string;
  help: string;
  type: Metric['metricType'];
  /** Labels in addition to {@link baseLabels}. */
  labels?: readonly string[];
  values(subject: MetricSubject): Values;
}

const nanosPerSecond = 1_000_000_000n;
const microsPerSecond = 1_000_000n;
const per = (value: bigint | undefined, unit: bigint) => (value === undefined ? undefined : value / unit);

const ofUsage = (
  name: string,
  help: string,
  type: Metric['metricType'],
  value: (usage: ContainerUsage) => bigint | undefined,
): MetricKind => ({ name, help, type, values: ({ usage }) => (usage === undefined ? [] : [[value(usage)]]) });

const counter = (name: string, help: string, value: (usage: ContainerUsage) => bigint | undefined) => ofUsage(name, help, 'COUNTER', value);
const gauge = (name: string, help: string, value: (usage: ContainerUsage) => bigint | undefined) => ofUsage(name, help, 'GAUGE', value);

const ofDetails = (
  type: Metric['metricType'],
  name: string,
  help: string,
  value: (details: CgroupDetails) => bigint | undefined,
): MetricKind => ({ name, help, type, values: ({ details }) => [[value(details)]] });

const ofContainer = (name: string, help: string, value: (container: MetricContainer) => bigint | undefined): MetricKind => ({
  name,
  help,
  type: 'GAUGE',
  values: ({ container }) => (container === undefined ? [] : [[value(container)]]),
});

/** Without a limit, or with -1 for none, there is no value. */
const ofResources = (
  name: string,
  help: string,
  value: (resources: LinuxContainerResources) => bigint | undefined,
  without?: bigint,
): MetricKind =>
  ofContainer(name, help, ({ record }) => {
    const limit = value(record.config.linux?.resources ?? {}) ?? 0n;
    return limit > 0n ? limit : without;
  });

/** Of the file system that has the writable layers. */
const ofFileSystem = (name: string, help: string, value: (container: MetricContainer) => bigint | undefined): MetricKind => ({
  name,
  help,
  type: 'GAUGE',
  labels: ['device'],
  values: ({ container }) => (container === undefined ? [] : [[value(container), container.fileSystem.device]]),
});

const deviceIo = (name: string, help: string, of: 'bytes' | 'operations', operation: 'Read' | 'Write'): MetricKind => ({
  name,
  help,
  type: 'COUNTER',
  labels: ['device'],
  values: ({ details }) => details.devices.map(({ device, [of]: values }) => [values.get(operation), device] as const),
});

const traffic = (direction: 'receive' | 'transmit', value: keyof InterfaceUsage['receive'], name: string, what: string): MetricKind => ({
  name: `container_network_${direction}_${name}_total`,
  help: `Cumulative count of ${what} ${direction === 'receive' ? 'received' : 'transmitted'}`,
  type: 'COUNTER',
  labels: ['interface'],
  values: ({ interfaces = [] }) => interfaces.map((each) => [each[direction][value], each.name]),
});

const pressure = (resource: 'cpu' | 'memory' | 'io', kind: 'some' | 'full'): MetricKind =>
  counter(
    `container_pressure_${resource}_${kind === 'full' ? 'stalled' : 'waiting'}_seconds_total`,
    `Total time in seconds in which ${kind === 'full' ? 'all' : 'some'} tasks waited for ${resource}`,
    (usage) => per(usage.pressure?.[resource]?.[kind]?.total, microsPerSecond),
  );

/** The metrics, by the names of cAdvisor. Values of the CRI are whole numbers: those in seconds have no fraction. */
export const metricKinds: readonly MetricKind[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    help: 'Cumulative cpu time consumed in seconds',
    type: 'COUNTER',
    labels: ['cpu'],
    values: ({ usage }) => (usage === undefined ? [] : [[per(usage.cpuNanos, nanosPerSecond), 'total']]),
  },
  counter('container_cpu_user_seconds_total', 'Cumulative user cpu time in seconds', (usage) => per(usage.userNanos, nanosPerSecond)),
  counter('container_cpu_system_seconds_total', 'Cumulative system cpu time in seconds', (usage) => per(usage.systemNanos, nanosPerSecond)),
  gauge('container_memory_usage_bytes', 'Memory usage in bytes, including all memory', (usage) => usage.memoryBytes),
  gauge('container_memory_working_set_bytes', 'Memory usage without inactive file pages in bytes', (usage) => usage.workingSetBytes),
  gauge('container_memory_rss', 'Size of anonymous memory in bytes', (usage) => usage.rssBytes),
  gauge('container_memory_cache', 'Size of the page cache in bytes', (usage) => usage.cacheBytes),
  gauge('container_memory_mapped_file', 'Size of memory mapped files in bytes', (usage) => usage.mappedFileBytes),
  gauge('container_memory_swap', 'Swap usage in bytes', (usage) => usage.swapBytes),
  {
    name: 'container_memory_failures_total',
    help: 'Cumulative count of page faults',
    type: 'COUNTER',
    labels: ['failure_type', 'scope'],
    values: ({ usage }) => [
      [usage?.pageFaults, 'pgfault', 'hierarchy'],
      [usage?.majorPageFaults, 'pgmajfault', 'hierarchy'],
    ],
  },
  {
    name: 'container_processes',
    help: 'Number of processes running inside the container',
    type: 'GAUGE',
    values: ({ usage, container }) => (container === undefined ? [] : [[usage?.processes]]),
  },
  pressure('cpu', 'some'),
  pressure('cpu', 'full'),
  pressure('memory', 'some'),
  pressure('memory', 'full'),
  pressure('io', 'some'),
  pressure('io', 'full'),
  ofDetails('COUNTER', 'container_cpu_cfs_periods_total', 'Number of elapsed periods of the CPU quota', ({ periods }) => periods),
  ofDetails(
    'COUNTER',
    'container_cpu_cfs_throttled_periods_total',
    'Number of throttled periods of the CPU quota',
    ({ throttledPeriods }) => throttledPeriods,
  ),
  ofDetails('COUNTER', 'container_cpu_cfs_throttled_seconds_total', 'Total time of throttling in seconds', ({ throttledNanos }) =>
    per(throttledNanos, nanosPerSecond),
  ),
  ofDetails('GAUGE', 'container_memory_max_usage_bytes', 'Highest memory usage in bytes', ({ maxMemoryBytes }) => maxMemoryBytes),
  ofDetails('GAUGE', 'container_memory_kernel_usage', 'Size of kernel memory in bytes', ({ kernelMemoryBytes }) => kernelMemoryBytes),
  ofDetails('COUNTER', 'container_memory_failcnt', 'Number of hits of the memory limit', ({ memoryFailures }) => memoryFailures),
  ofDetails(
    'GAUGE',
    'container_spec_memory_reservation_limit_bytes',
    'Memory reservation in bytes, 0 without one',
    ({ memoryReservationBytes }) => memoryReservationBytes,
  ),
  ofDetails('COUNTER', 'container_oom_events_total', 'Number of processes that were killed without memory', ({ oomKills }) => oomKills),
  ofDetails('GAUGE', 'container_threads', 'Number of threads', ({ threads }) => threads),
  ofDetails('GAUGE', 'container_threads_max', 'Maximum number of threads, 0 without one', ({ maxThreads }) => maxThreads),
  {
    name: 'container_blkio_device_usage_total',
    help: 'Bytes of operations on a block device',
    type: 'COUNTER',
    labels: ['device', 'major', 'minor', 'operation'],
    values: ({ details }) =>
      details.devices.flatMap(({ device, major, minor, bytes }) =>
        [...bytes].map(([operation, value]) => [value, device, major, minor, operation] as const),
      ),
  },
  deviceIo('container_fs_reads_bytes_total', 'Cumulative count of bytes read', 'bytes', 'Read'),
  deviceIo('container_fs_reads_total', 'Cumulative count of reads', 'operations', 'Read'),
  deviceIo('container_fs_writes_bytes_total', 'Cumulative count of bytes written', 'bytes', 'Write'),
  deviceIo('container_fs_writes_total', 'Cumulative count of writes', 'operations', 'Write'),
  ofFileSystem('container_fs_usage_bytes', 'Size of the writable layer in bytes', ({ layer }) => layer?.usedBytes?.value),
  ofFileSystem('container_fs_limit_bytes', 'Size of the file system in bytes', ({ fileSystem }) => fileSystem.capacityBytes),
  ofFileSystem('container_fs_inodes_total', 'Number of inodes of the file system', ({ fileSystem }) => fileSystem.inodes),
  ofFileSystem('container_fs_inodes_free', 'Number of free inodes of the file system', ({ fileSystem }) => fileSystem.inodesFree),
  ofContainer('container_file_descriptors', 'Number of open files', ({ processes }) => processes.fileDescriptors),
  ofContainer('container_sockets', 'Number of open sockets', ({ processes }) => processes.sockets),
  {
    name: 'container_ulimits_soft',
    help: 'Soft limits of the first process, without those that are unlimited',
    type: 'GAUGE',
    labels: ['ulimit'],
    values: ({ container }) => [[container?.processes.maxOpenFiles, 'max_open_files']],
  },
  {
    name: 'container_last_seen',
    help: 'Time of the measurement since the Unix epoch in seconds',
    type: 'GAUGE',
    values: ({ now }) => [[now / nanosPerSecond]],
  },
  ofContainer(
    'container_start_time_seconds',
    'Start time since the Unix epoch in seconds',
    ({ record }) => record.startedAt / nanosPerSecond,
  ),
  ofResources('container_spec_cpu_shares', 'CPU share of the container', ({ cpuShares }) => cpuShares),
  ofResources('container_spec_cpu_period', 'CPU period of the container', ({ cpuPeriod }) => cpuPeriod),
  ofResources('container_spec_cpu_quota', 'CPU quota of the container', ({ cpuQuota }) => cpuQuota),
  ofResources(
    'container_spec_memory_limit_bytes',
    'Memory limit of the container, 0 without one',
    ({ memoryLimitInBytes }) => memoryLimitInBytes,
    0n,
  ),
  ofResources(
    'container_spec_memory_swap_limit_bytes',
    'Limit of memory and swap of the container, 0 without one',
    ({ memorySwapLimitInBytes }) => memorySwapLimitInBytes,
    0n,
  ),
  ...(['receive', 'transmit'] as const).flatMap((direction) => [
    traffic(direction, 'bytes', 'bytes', 'bytes'),
    traffic(direction, 'packets', 'packets', 'packets'),
    traffic(direction, 'dropped', 'packets_dropped', 'packets dropped while they were'),
    traffic(direction, 'errors', 'errors', 'errors while packets were'),
  ]),
];
