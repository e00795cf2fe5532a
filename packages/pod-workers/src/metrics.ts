import type { Metrics } from '@nodeagent/api';

/** The workers' metrics with the kubelet's names. */
export function createPodWorkersMetrics(metrics: Metrics) {
  return {
    workerDuration: metrics.histogram({
      name: 'kubelet_pod_worker_duration_seconds',
      help: 'Duration in seconds to sync a single pod. Broken down by operation type: create, update, or sync',
      labels: ['operation_type'],
    }),
    containersPerPod: metrics.histogram({
      name: 'kubelet_containers_per_pod_count',
      help: 'The number of containers per pod.',
      buckets: [1, 2, 4, 8, 16],
    }),
  };
}
