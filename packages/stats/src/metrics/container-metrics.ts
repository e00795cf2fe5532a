import { metricLabels } from '@nodeagent/api/helpers';
import type { CgroupSample, DeviceIo } from '../cgroup/cgroup-sample.js';
import type { InterfaceCounters } from '../cgroup/proc-files.js';
import { containerMetricNames } from './container-metric-names.js';
import { Exposition, labelsOf, noLabels, seconds } from './exposition.js';

/** A cgroup in the metrics: of a container, a pod or the system. Unknown names are ''. */
export interface MeasuredCgroup {
  labels: { id: string; name: string; image: string; pod: string; namespace: string; container: string };
  sample: CgroupSample;
  /** Creation time in milliseconds since 1970. */
  createdAt?: number;
  /** Only for cgroups with a separate network: sandboxes and the root. */
  interfaces?: readonly InterfaceCounters[];
}

/** Values of the metrics `machine_*`. */
export interface MeasuredMachine {
  machineId: string;
  systemUuid: string;
  bootId: string;
  cpuCores: number;
  physicalCores?: number;
  sockets?: number;
  memoryBytes: bigint;
  swapBytes: bigint;
}

export interface ContainerMetricsInput {
  cgroups: readonly MeasuredCgroup[];
  /** Names of block devices by `major:minor`. */
  diskNames?: ReadonlyMap<string, string>;
  machine?: MeasuredMachine;
  /** Whether reading failed. Default false. */
  scrapeError?: boolean;
}

/** Limits from this value on mean unlimited and are reported as 0. */
const maxLimit = 1n << 62n;

/**
 * The response of `/metrics/cadvisor` in Prometheus' text format, with timestamps; omits unknown values.
 *
 * @see https://github.com/google/cadvisor/blob/master/docs/storage/prometheus.md
 */
export function containerMetrics({ cgroups, diskNames = new Map(), machine, scrapeError = false }: ContainerMetricsInput): string {
  const page = new Exposition();
  for (const [name, type, help] of containerMetricNames) page.declare(name, type, help);
  for (const cgroup of cgroups) addCgroup(page, cgroup, diskNames);
  if (machine !== undefined) addMachine(page, machine);
  page.add('container_scrape_error', noLabels, scrapeError ? 1 : 0);
  return page.toString();
}

function addCgroup(page: Exposition, { labels, sample, createdAt, interfaces }: MeasuredCgroup, disks: ReadonlyMap<string, string>): void {
  const base = labelsOf(labels);
  const { time, cpu, memory, psi, detail } = sample;
  const add = (name: string, value: number | bigint | undefined, more = '') => page.add(name, base, value, time, more);

  if (cpu !== undefined) {
    add('container_cpu_usage_seconds_total', seconds(cpu.usageNanos), 'cpu="total"');
    add('container_cpu_user_seconds_total', seconds(cpu.userNanos));
    add('container_cpu_system_seconds_total', seconds(cpu.systemNanos));
    if (cpu.cfs !== undefined && detail?.quotaMicros !== undefined) {
      add('container_cpu_cfs_periods_total', cpu.cfs.periods);
      add('container_cpu_cfs_throttled_periods_total', cpu.cfs.throttledPeriods);
      add('container_cpu_cfs_throttled_seconds_total', seconds(cpu.cfs.throttledNanos));
      add('container_cpu_cfs_burst_periods_total', cpu.cfs.burstPeriods);
      add('container_cpu_cfs_burst_seconds_total', seconds(cpu.cfs.burstNanos));
    }
  }
  if (memory !== undefined) {
    add('container_memory_usage_bytes', memory.usageBytes);
    add('container_memory_working_set_bytes', memory.workingSetBytes);
    add('container_memory_rss', memory.rssBytes);
    add('container_memory_cache', memory.cacheBytes);
    add('container_memory_kernel_usage', memory.kernelBytes);
    add('container_memory_mapped_file', memory.mappedFileBytes);
    add('container_memory_swap', memory.swapBytes);
    add('container_memory_total_active_file_bytes', memory.activeFileBytes);
    add('container_memory_total_inactive_file_bytes', memory.inactiveFileBytes);
    for (const scope of ['container', 'hierarchy']) {
      add('container_memory_failures_total', memory.pageFaults, `failure_type="pgfault",scope="${scope}"`);
      add('container_memory_failures_total', memory.majorPageFaults, `failure_type="pgmajfault",scope="${scope}"`);
    }
    add('container_spec_memory_limit_bytes', limit(memory.limitBytes));
    add('container_spec_memory_swap_limit_bytes', limit(memory.swapLimitBytes));
  }
  if (psi !== undefined) {
    for (const resource of ['cpu', 'memory', 'io'] as const) {
      add(`container_pressure_${resource}_stalled_seconds_total`, microseconds(psi[resource]?.full.total));
      add(`container_pressure_${resource}_waiting_seconds_total`, microseconds(psi[resource]?.some.total));
    }
  }
  add('container_processes', sample.processes);
  if (detail !== undefined) {
    add('container_memory_failcnt', detail.failures);
    add('container_memory_max_usage_bytes', detail.maxUsageBytes);
    add('container_spec_memory_reservation_limit_bytes', limit(detail.reservationBytes));
    add('container_oom_events_total', detail.oomKills);
    add('container_threads', detail.threads);
    add('container_threads_max', limit(detail.threadsMax));
    add('container_spec_cpu_period', detail.periodMicros);
    add('container_spec_cpu_quota', detail.quotaMicros);
    add('container_spec_cpu_shares', detail.shares);
    for (const device of detail.io ?? []) addDevice(add, device, disks);
  }
  for (const { name, ...counters } of interfaces ?? []) {
    const labelled = metricLabels({ interface: name });
    add('container_network_receive_bytes_total', counters.rxBytes, labelled);
    add('container_network_receive_errors_total', counters.rxErrors, labelled);
    add('container_network_receive_packets_total', counters.rxPackets, labelled);
    add('container_network_receive_packets_dropped_total', counters.rxDropped, labelled);
    add('container_network_transmit_bytes_total', counters.txBytes, labelled);
    add('container_network_transmit_errors_total', counters.txErrors, labelled);
    add('container_network_transmit_packets_total', counters.txPackets, labelled);
    add('container_network_transmit_packets_dropped_total', counters.txDropped, labelled);
  }
  add('container_last_seen', Math.floor(time / 1000));
  add('container_start_time_seconds', createdAt === undefined ? undefined : Math.floor(createdAt / 1000));
}

type Add = (name: string, value: number | bigint | undefined, more?: string) => void;

function addDevice(add: Add, { major, minor, readBytes, writeBytes, reads, writes }: DeviceIo, disks: ReadonlyMap<string, string>): void {
  const name = disks.get(`${major}:${minor}`);
  const device = name === undefined ? '' : `/dev/${name}`;
  const labels = metricLabels({ device });
  add('container_fs_reads_bytes_total', readBytes, labels);
  add('container_fs_reads_total', reads, labels);
  add('container_fs_writes_bytes_total', writeBytes, labels);
  add('container_fs_writes_total', writes, labels);
  const usage = (operation: string) => metricLabels({ device, major: String(major), minor: String(minor), operation });
  add('container_blkio_device_usage_total', readBytes, usage('Read'));
  add('container_blkio_device_usage_total', writeBytes, usage('Write'));
}

function addMachine(page: Exposition, machine: MeasuredMachine): void {
  const labels = labelsOf({ boot_id: machine.bootId, machine_id: machine.machineId, system_uuid: machine.systemUuid });
  page.add('machine_cpu_cores', labels, machine.cpuCores);
  page.add('machine_cpu_physical_cores', labels, machine.physicalCores);
  page.add('machine_cpu_sockets', labels, machine.sockets);
  page.add('machine_memory_bytes', labels, machine.memoryBytes);
  page.add('machine_swap_bytes', labels, machine.swapBytes);
}

const limit = (value: bigint | undefined) => (value !== undefined && value > maxLimit ? 0n : value);
const microseconds = (value: bigint | undefined) => (value === undefined ? undefined : Number(value) / 1e6);
