import type { Metric, MetricDescriptor, PodSandboxMetrics } from '@nodeagent/cri-api';
import { containerCgroupFolder, podCgroupFolder, podCgroupParent } from '../spec/cgroup-path.js';
import type { CgroupFacts } from '../spec/machine.js';
import type { SandboxRecord } from '../state/records.js';
import type { ContainerUsage } from './container-usage.js';
import type { MeasuredContainer, SandboxUsage } from './cri-stats.js';
import type { InterfaceUsage } from './network-usage.js';

/** Whose metrics they are. */
interface Subject {
  usage?: ContainerUsage;
  interfaces?: readonly InterfaceUsage[];
  /** Only of a container. */
  container?: MeasuredContainer['record'];
}

/** The values of a metric, each with the values of the further labels. */
type Values = readonly (readonly [value: bigint | undefined, ...labels: string[]])[];

interface MetricKind {
  name: string;
  help: string;
  type: Metric['metricType'];
  /** Labels in addition to {@link baseLabels}. */
  labels?: readonly string[];
  values(subject: Subject): Values;
}

/** Labels of each metric of a container, as the kubelet adds them to those of cAdvisor. */
const baseLabels = ['id', 'name', 'image', 'pod', 'namespace', 'container'];

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

const ofContainer = (name: string, help: string, value: (container: MeasuredContainer['record']) => bigint | undefined): MetricKind => ({
  name,
  help,
  type: 'GAUGE',
  values: ({ container }) => (container === undefined ? [] : [[value(container)]]),
});

const resourcesOf = ({ config }: MeasuredContainer['record']) => config.linux?.resources ?? {};

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
const kinds: readonly MetricKind[] = [
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
  ofContainer('container_start_time_seconds', 'Start time since the Unix epoch in seconds', ({ startedAt }) => startedAt / nanosPerSecond),
  ofContainer('container_spec_cpu_shares', 'CPU share of the container', (container) => resourcesOf(container).cpuShares),
  ofContainer('container_spec_cpu_period', 'CPU period of the container', (container) => resourcesOf(container).cpuPeriod),
  ofContainer('container_spec_cpu_quota', 'CPU quota of the container', (container) => resourcesOf(container).cpuQuota || undefined),
  ofContainer(
    'container_spec_memory_limit_bytes',
    'Memory limit of the container, 0 without one',
    (container) => resourcesOf(container).memoryLimitInBytes ?? 0n,
  ),
  ...(['receive', 'transmit'] as const).flatMap((direction) => [
    traffic(direction, 'bytes', 'bytes', 'bytes'),
    traffic(direction, 'packets', 'packets', 'packets'),
    traffic(direction, 'dropped', 'packets_dropped', 'packets dropped while they were'),
    traffic(direction, 'errors', 'errors', 'errors while packets were'),
  ]),
];

/** What ListPodSandboxMetrics reports. */
export const metricDescriptors: readonly MetricDescriptor[] = kinds.map(({ name, help, labels = [] }) => ({
  name,
  help,
  labelKeys: [...baseLabels, ...labels],
}));

/** The metrics of a sandbox, those of its cgroup and its network, and of its containers. */
export function toSandboxMetrics(
  sandbox: SandboxRecord,
  { cgroup, interfaces }: SandboxUsage,
  containers: readonly MeasuredContainer[],
  { driver }: Pick<CgroupFacts, 'driver'>,
  timestamp: bigint,
): PodSandboxMetrics {
  const { name = '', namespace = '' } = sandbox.config.metadata ?? {};
  const parent = podCgroupParent(sandbox.config, driver);
  const metricsOf = (subject: Subject, id: string, alias: string, image: string, container: string) =>
    kinds.flatMap((kind) => toMetrics(kind, subject, [id, alias, image, name, namespace, container], timestamp));
  return {
    podSandboxId: sandbox.id,
    metrics: metricsOf(
      { ...(cgroup && { usage: cgroup }), ...(interfaces && { interfaces }) },
      podCgroupFolder(parent, driver),
      '',
      '',
      '',
    ),
    containerMetrics: containers.map(({ record, usage }) => ({
      containerId: record.id,
      metrics: metricsOf(
        { container: record, ...(usage && { usage }) },
        containerCgroupFolder(parent, record.id, driver),
        record.id,
        record.config.image?.userSpecifiedImage || record.config.image?.image || '',
        record.config.metadata?.name ?? '',
      ),
    })),
  };
}

function toMetrics({ name, type, values }: MetricKind, subject: Subject, base: readonly string[], timestamp: bigint): Metric[] {
  return values(subject).flatMap(([value, ...labels]) =>
    value === undefined ? [] : [{ name, timestamp, metricType: type, labelValues: [...base, ...labels], value: { value } }],
  );
}
