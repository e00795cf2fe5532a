import type { Metrics } from '@nodeagent/api';

/** The metrics of the memory manager with the kubelet's names. */
export function createMemoryMetrics(metrics: Metrics) {
  return {
    pinningRequests: metrics.counter({
      name: 'kubelet_memory_manager_pinning_requests_total',
      help: 'The number of memory pages allocations which required pinning.',
    }),
    pinningErrors: metrics.counter({
      name: 'kubelet_memory_manager_pinning_errors_total',
      help: 'The number of memory pages allocations which required pinning that failed.',
    }),
  };
}
