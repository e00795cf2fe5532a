import type { Metrics } from '@nodeagent/api';

/** The metrics of the topology manager with the kubelet's names. */
export function createTopologyMetrics(metrics: Metrics) {
  return {
    requests: metrics.counter({
      name: 'kubelet_topology_manager_admission_requests_total',
      help: 'The number of admission requests where resources have to be aligned.',
    }),
    errors: metrics.counter({
      name: 'kubelet_topology_manager_admission_errors_total',
      help: 'The number of admission request failures where resources could not be aligned.',
    }),
    durationMs: metrics.histogram({
      name: 'kubelet_topology_manager_admission_duration_ms',
      help: 'Duration in milliseconds to serve a pod admission request.',
      buckets: Array.from({ length: 15 }, (_, exponent) => 0.05 * 2 ** exponent),
    }),
    aligned: metrics.counter({
      name: 'kubelet_container_aligned_compute_resources_count',
      help: 'Cumulative number of aligned compute resources allocated to containers by alignment type.',
      labels: ['scope', 'boundary'],
    }),
    alignmentFailures: metrics.counter({
      name: 'kubelet_container_aligned_compute_resources_failure_count',
      help: 'Cumulative number of failures to allocate aligned compute resources to containers by alignment type.',
      labels: ['scope', 'boundary'],
    }),
  };
}
