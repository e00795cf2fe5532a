import type { Metrics } from '@nodeagent/api';

const buckets = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2];

/** The metrics of Dynamic Resource Allocation with the kubelet's names. */
export function createDraMetrics(metrics: Metrics) {
  return {
    operationSeconds: metrics.histogram({
      name: 'dra_operations_duration_seconds',
      help: 'Latency histogram in seconds for the duration of handling all ResourceClaims referenced by a pod when the pod starts or stops',
      labels: ['operation_name', 'is_error'],
      buckets,
    }),
    grpcSeconds: metrics.histogram({
      name: 'dra_grpc_operations_duration_seconds',
      help: 'Duration in seconds of the DRA gRPC operations',
      labels: ['driver_name', 'method_name', 'grpc_status_code'],
      buckets,
    }),
  };
}
