import type { Summary } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { onlyCpuAndMemory, summaryJson } from '../summary/summary-json.js';
import { containerMetrics } from './container-metrics.js';
import { resourceMetrics } from './resource-metrics.js';

const time = '2026-01-01T00:00:00Z';
const ms = Date.UTC(2026, 0, 1);
const summary: Summary = {
  node: {
    nodeName: 'n1',
    startTime: time,
    cpu: { time, usageCoreNanoSeconds: 1_500_000_000n, usageNanoCores: 5n },
    memory: { time, workingSetBytes: 18_446_744_073_709_551_615n },
    fs: { time, usedBytes: 1n },
    rlimit: { time, maxpid: 3n },
  },
  pods: [
    {
      podRef: { name: 'web', namespace: 'default', uid: 'u1' },
      startTime: time,
      network: { time, name: 'eth0', rxBytes: 1n },
      swap: { time, swapUsageBytes: 3n },
      containers: [
        {
          name: 'main',
          startTime: time,
          memory: { time, workingSetBytes: 7n },
          swap: { time, swapAvailableBytes: 5n, swapUsageBytes: 2n },
        },
        { name: 'early', startTime: '1970-01-01T00:00:00Z', cpu: { time } },
      ],
    },
  ],
};

it('/metrics/resource has the known values with the times at which they were measured', () => {
  const lines = resourceMetrics(summary)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual([
    `container_memory_working_set_bytes{container="main",namespace="default",pod="web"} 7 ${ms}`,
    `container_start_time_seconds{container="main",namespace="default",pod="web"} ${ms / 1000}`,
    `container_swap_limit_bytes{container="main",namespace="default",pod="web"} 7 ${ms}`,
    `container_swap_usage_bytes{container="main",namespace="default",pod="web"} 2 ${ms}`,
    `node_cpu_usage_seconds_total 1.5 ${ms}`,
    `node_memory_working_set_bytes 18446744073709551615 ${ms}`,
    `pod_swap_usage_bytes{namespace="default",pod="web"} 3 ${ms}`,
    'resource_scrape_error 0',
  ]);
});

it('has HELP and TYPE only for metrics with samples', () => {
  expect(resourceMetrics(undefined)).toBe(
    '# HELP resource_scrape_error 1 if there was an error while getting container metrics, 0 otherwise\n' +
      '# TYPE resource_scrape_error gauge\nresource_scrape_error 1\n',
  );
});

it('keeps names in any script unchanged', () => {
  const labels = { container: 'café', id: '/ü', image: '', name: '', namespace: '', pod: '日本' };
  const interfaces = [
    {
      ...{ name: 'ethö', rxBytes: 9_007_199_254_740_993n, rxErrors: 0n, rxPackets: 0n, rxDropped: 0n },
      ...{ txBytes: 0n, txErrors: 0n, txPackets: 0n, txDropped: 0n },
    },
  ];
  const page = containerMetrics({ cgroups: [{ labels, interfaces, sample: { time: ms, monotonic: 0, hasCpu: false, hasMemory: false } }] });
  expect(page).toContain(
    `container_network_receive_bytes_total{container="café",id="/ü",image="",name="",namespace="",pod="日本",interface="ethö"} 9007199254740993 ${ms}\n`,
  );
});

it('the reduced summary has no file systems, network, process numbers and volumes', () => {
  const { node, pods } = JSON.parse(summaryJson(onlyCpuAndMemory(summary)));
  expect(Object.keys(node)).toEqual(['nodeName', 'startTime', 'cpu', 'memory']);
  expect(Object.keys(pods[0])).toEqual(['podRef', 'startTime', 'containers', 'swap']);
});

it('the JSON has 64-bit numbers, and strings of digits stay strings', () => {
  const text = summaryJson({ ...summary, node: { ...summary.node, nodeName: '12' } });
  expect(text).toContain('"nodeName":"12"');
  expect(text).toContain('"workingSetBytes":18446744073709551615');
});

it('/metrics/cadvisor escapes labels, reports unlimited as 0 and omits unknown values', () => {
  const labels = { container: '', id: '/a\\"b\n', image: '', name: '', namespace: '', pod: '' };
  const memory = {
    usageBytes: 9n,
    workingSetBytes: 8n,
    rssBytes: 7n,
    inactiveFileBytes: 1n,
    pageFaults: 1n,
    majorPageFaults: 0n,
    limitBytes: 18_446_744_073_709_551_615n,
    swapBytes: 0n,
    swapLimitBytes: 4n,
  };
  const sample = { time: ms, monotonic: 0, hasCpu: true, hasMemory: true, memory };
  const machine = { machineId: 'm', systemUuid: 's', bootId: 'b', cpuCores: 2, memoryBytes: 5n, swapBytes: 0n };
  const page = containerMetrics({ cgroups: [{ labels, sample }], machine, scrapeError: true });
  const base = 'container="",id="/a\\\\\\"b\\n",image="",name="",namespace="",pod=""';
  expect(page).toContain(`container_spec_memory_limit_bytes{${base}} 0 ${ms}\n`);
  expect(page).toContain(`container_spec_memory_swap_limit_bytes{${base}} 4 ${ms}\n`);
  expect(page).toContain(`container_memory_failures_total{${base},failure_type="pgfault",scope="container"} 1 ${ms}\n`);
  expect(page).toContain('machine_cpu_cores{boot_id="b",machine_id="m",system_uuid="s"} 2\n');
  expect(page).toContain('container_scrape_error 1\n');
  expect(page).not.toContain('container_cpu');
  expect(page).not.toContain('machine_cpu_sockets');
});
