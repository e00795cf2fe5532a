import type { CpuStats, MemoryStats, Summary, SwapStats } from '@nodeagent/api';
import { parseTime } from '@nodeagent/api/helpers';
import { Exposition, type Labels, labelsOf, noLabels, seconds } from './exposition.js';

const metrics: [name: string, type: 'counter' | 'gauge', help: string][] = [
  ['container_cpu_usage_seconds_total', 'counter', 'Cumulative cpu time consumed by the container in core-seconds'],
  ['container_memory_working_set_bytes', 'gauge', 'Current working set of the container in bytes'],
  ['container_start_time_seconds', 'gauge', 'Start time of the container since unix epoch in seconds'],
  ['container_swap_limit_bytes', 'gauge', 'Current amount of the container swap limit in bytes'],
  ['container_swap_usage_bytes', 'gauge', 'Current amount of the container swap usage in bytes'],
  ['node_cpu_usage_seconds_total', 'counter', 'Cumulative cpu time consumed by the node in core-seconds'],
  ['node_memory_working_set_bytes', 'gauge', 'Current working set of the node in bytes'],
  ['node_swap_usage_bytes', 'gauge', 'Current swap usage of the node in bytes'],
  ['pod_cpu_usage_seconds_total', 'counter', 'Cumulative cpu time consumed by the pod in core-seconds'],
  ['pod_memory_working_set_bytes', 'gauge', 'Current working set of the pod in bytes'],
  ['pod_swap_usage_bytes', 'gauge', 'Current amount of the pod swap usage in bytes'],
  ['resource_scrape_error', 'gauge', '1 if there was an error while getting container metrics, 0 otherwise'],
];

/**
 * The response of `/metrics/resource` in Prometheus' text format, with timestamps. Pass undefined if the summary is unavailable; the
 * response then has `resource_scrape_error 1`.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/node-metrics/
 */
export function resourceMetrics(summary: Summary | undefined): string {
  const page = new Exposition();
  for (const [name, type, help] of metrics) page.declare(name, type, help);
  if (summary !== undefined) {
    addUsage(page, 'node', noLabels, summary.node);
    for (const { podRef, containers, ...pod } of summary.pods) {
      const { name, namespace } = podRef;
      addUsage(page, 'pod', labelsOf({ namespace, pod: name }), pod);
      for (const container of containers) {
        const labels = labelsOf({ container: container.name, namespace, pod: name });
        addUsage(page, 'container', labels, container);
        const started = (parseTime(container.startTime) ?? 0) / 1000;
        if (started > 0) page.add('container_start_time_seconds', labels, started);
        const { swapAvailableBytes, swapUsageBytes, time } = container.swap ?? {};
        if (swapAvailableBytes !== undefined && swapUsageBytes !== undefined) {
          page.add('container_swap_limit_bytes', labels, swapAvailableBytes + swapUsageBytes, parseTime(time));
        }
      }
    }
  }
  page.add('resource_scrape_error', noLabels, summary === undefined ? 1 : 0);
  return page.toString();
}

function addUsage(
  page: Exposition,
  subject: 'node' | 'pod' | 'container',
  labels: Labels,
  { cpu, memory, swap }: { cpu?: CpuStats; memory?: MemoryStats; swap?: SwapStats },
): void {
  page.add(`${subject}_cpu_usage_seconds_total`, labels, seconds(cpu?.usageCoreNanoSeconds), parseTime(cpu?.time));
  page.add(`${subject}_memory_working_set_bytes`, labels, memory?.workingSetBytes, parseTime(memory?.time));
  page.add(`${subject}_swap_usage_bytes`, labels, swap?.swapUsageBytes, parseTime(swap?.time));
}
