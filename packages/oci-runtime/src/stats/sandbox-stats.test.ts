import { describe, expect, it } from 'vitest';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import type { CgroupDetails } from './cgroup-details.js';
import { type MeasuredContainer, toSandboxStats } from './cri-stats.js';
import type { MetricContainer } from './metric-kinds.js';
import { metricDescriptors, toSandboxMetrics } from './metrics.js';
import { parseInterfaces } from './network-usage.js';

const table = [
  'Inter-|   Receive                                                |  Transmit',
  ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
  '    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0',
  '  eth0:    2000      20    3    4    0     0          0         0     1000      10    1    2    0     0       0          0',
  '  net1:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0',
  '',
].join('\n');
const interfaces = parseInterfaces(table);

const sandbox = {
  id: 's1',
  config: { metadata: { name: 'web', namespace: 'default', uid: 'u', attempt: 0 }, linux: { cgroupParent: '/kubepods/pod1' } },
} as SandboxRecord;
const usage = { cpuNanos: 2_500_000_000n, memoryBytes: 900n, workingSetBytes: 800n, rssBytes: 50n, memoryLimitBytes: 1000n, processes: 3n };
const container: MeasuredContainer = {
  record: {
    id: 'c1',
    podSandboxId: 's1',
    startedAt: 5_000_000_000n,
    config: { metadata: { name: 'main', attempt: 0 }, image: { image: 'sha256:1', userSpecifiedImage: 'web:1' } },
  } as ContainerRecord,
  usage,
  layer: { timestamp: 41n, usedBytes: { value: 5n } },
};

describe('stats of a sandbox', () => {
  it('are those of its cgroup, with the interface eth0 apart, and the processes of its containers', () => {
    const stats = toSandboxStats(sandbox, { cgroup: { ...usage, cpuNanos: 7n }, interfaces }, [container], 42n);
    expect(stats.attributes).toMatchObject({ id: 's1', metadata: { name: 'web' } });
    expect(stats.linux).toMatchObject({
      cpu: { timestamp: 42n, usageCoreNanoSeconds: { value: 7n } },
      memory: { workingSetBytes: { value: 800n }, availableBytes: { value: 200n } },
      network: {
        defaultInterface: {
          name: 'eth0',
          rxBytes: { value: 2000n },
          rxErrors: { value: 3n },
          txBytes: { value: 1000n },
          txErrors: { value: 1n },
        },
        interfaces: [{ name: 'net1', rxBytes: { value: 5n }, txBytes: { value: 6n } }],
      },
      process: { processCount: { value: 3n } },
      containers: [
        { attributes: { id: 'c1' }, writableLayer: { usedBytes: { value: 5n } }, cpu: { usageCoreNanoSeconds: { value: 2_500_000_000n } } },
      ],
    });
  });

  it('are sums of its containers without a cgroup, and have no network on that of the node', () => {
    const { linux } = toSandboxStats(sandbox, {}, [container, container, { ...container, usage: undefined }], 42n);
    expect(linux?.cpu?.usageCoreNanoSeconds?.value).toBe(5_000_000_000n);
    expect(linux?.process?.processCount?.value).toBe(6n);
    expect(linux).not.toHaveProperty('network');
  });
});

describe('metrics of a sandbox', () => {
  const details: CgroupDetails = {
    ...{ periods: 10n, throttledPeriods: 3n, throttledNanos: 2_900_000_000n, oomKills: 1n, threads: 6n, maxThreads: 0n },
    devices: [
      {
        ...{ device: '/dev/sda', major: '8', minor: '0' },
        bytes: new Map([
          ['Read', 4096n],
          ['Write', 512n],
        ]),
        operations: new Map([['Read', 2n]]),
      },
    ],
  };
  const measured: MetricContainer = {
    ...container,
    details,
    processes: { fileDescriptors: 12n, sockets: 4n, maxOpenFiles: 1024n },
    fileSystem: { device: '/dev/sda1', capacityBytes: 1_000_000n, inodes: 90n, inodesFree: 80n },
  };
  const metricsOf = (each: MetricContainer) =>
    toSandboxMetrics({ record: sandbox, interfaces, details }, [each], { driver: 'cgroupfs' }, 42_500_000_000n);
  const { metrics, containerMetrics } = metricsOf(measured);
  const valuesIn = (list: typeof metrics, name: string) =>
    list.filter((metric) => metric.name === name).map(({ labelValues, value }) => [labelValues, value?.value]);

  const ofContainer = containerMetrics[0]?.metrics ?? [];
  const labels = ['/kubepods/pod1/c1', 'c1', 'web:1', 'web', 'default', 'main'];

  it('have a value for each label of their descriptors', () => {
    const keys = new Map(metricDescriptors.map(({ name, labelKeys }) => [name, labelKeys.length]));
    expect(keys.size).toBe(metricDescriptors.length);
    for (const { name, labelValues } of [...metrics, ...ofContainer]) expect(labelValues).toHaveLength(keys.get(name) ?? 0);
  });

  it('count packets by interface', () => {
    const pod = ['/kubepods/pod1', '', '', 'web', 'default', ''];
    expect(valuesIn(metrics, 'container_network_receive_packets_dropped_total')).toEqual([
      [[...pod, 'eth0'], 4n],
      [[...pod, 'net1'], 0n],
    ]);
  });

  it('are those of the containers, without values that are unknown', () => {
    expect(valuesIn(ofContainer, 'container_cpu_usage_seconds_total')).toEqual([[[...labels, 'total'], 2n]]);
    expect(valuesIn(ofContainer, 'container_start_time_seconds')).toEqual([[labels, 5n]]);
    expect(valuesIn(ofContainer, 'container_memory_swap')).toEqual([]);
    expect(valuesIn(ofContainer, 'container_memory_failcnt')).toEqual([]);
  });

  it.each([
    ['container_cpu_cfs_throttled_seconds_total', [], 2n],
    ['container_oom_events_total', [], 1n],
    ['container_threads_max', [], 0n],
    ['container_file_descriptors', [], 12n],
    ['container_sockets', [], 4n],
    ['container_ulimits_soft', ['max_open_files'], 1024n],
    ['container_last_seen', [], 42n],
    ['container_fs_usage_bytes', ['/dev/sda1'], 5n],
    ['container_fs_limit_bytes', ['/dev/sda1'], 1_000_000n],
    ['container_fs_inodes_free', ['/dev/sda1'], 80n],
    ['container_fs_reads_bytes_total', ['/dev/sda'], 4096n],
    ['container_fs_reads_total', ['/dev/sda'], 2n],
    ['container_spec_memory_swap_limit_bytes', [], 0n],
  ])('have %s', (name, more, value) => {
    expect(valuesIn(ofContainer, name)).toEqual([[[...labels, ...more], value]]);
  });

  it('count operations by device, and those that the kernel counts only', () => {
    expect(valuesIn(ofContainer, 'container_blkio_device_usage_total')).toEqual([
      [[...labels, '/dev/sda', '8', '0', 'Read'], 4096n],
      [[...labels, '/dev/sda', '8', '0', 'Write'], 512n],
    ]);
    expect(valuesIn(ofContainer, 'container_fs_writes_total')).toEqual([]);
  });

  it('have the limits of the request, and no value for -1, which requests none', () => {
    const linux = { resources: { cpuQuota: -1n, memorySwapLimitInBytes: 3000n } };
    const limited = { ...measured, record: { ...measured.record, config: { ...measured.record.config, linux } } };
    const list = metricsOf(limited).containerMetrics[0]?.metrics ?? [];
    expect(valuesIn(list, 'container_spec_memory_swap_limit_bytes')).toEqual([[labels, 3000n]]);
    expect(valuesIn(list, 'container_spec_cpu_quota')).toEqual([]);
  });

  it('have no values of containers for the sandbox', () => {
    expect(valuesIn(metrics, 'container_threads')).toHaveLength(1);
    expect(valuesIn(metrics, 'container_fs_usage_bytes')).toEqual([]);
    expect(valuesIn(metrics, 'container_spec_memory_limit_bytes')).toEqual([]);
  });
});
