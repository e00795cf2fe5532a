import type { Metrics } from '@nodeagent/api';

/** The metrics of allocation with the kubelet's names. */
export function createAllocationMetrics(metrics: Metrics) {
  return {
    infeasible: metrics.counter({
      name: 'kubelet_pod_infeasible_resizes_total',
      help: 'Number of infeasible resizes for pods.',
      labels: ['reason_detail'],
    }),
    deferredAccepted: metrics.counter({
      name: 'kubelet_pod_deferred_accepted_resizes_total',
      help: 'Cumulative number of resizes that were accepted after being deferred.',
      labels: ['retry_trigger'],
    }),
    pending: metrics.gauge({
      name: 'kubelet_pod_pending_resizes',
      help: 'Number of pending resizes for pods.',
      labels: ['reason'],
    }),
  };
}
