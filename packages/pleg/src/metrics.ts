import type { Metrics, RuntimeContainerState, RuntimePod } from '@nodeagent/api';
import { hasRunningSandbox } from './pod-events.js';

const relistBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The generator's metrics with the kubelet's names. */
export function createPlegMetrics(metrics: Metrics) {
  return {
    relistDuration: metrics.histogram({
      name: 'kubelet_pleg_relist_duration_seconds',
      help: 'Duration in seconds for relisting pods in PLEG.',
      buckets: relistBuckets,
    }),
    podRelistDuration: metrics.histogram({
      name: 'kubelet_pleg_pod_relist_duration_seconds',
      help: 'Duration in seconds for relisting a single pod in PLEG.',
      buckets: relistBuckets,
    }),
    relistInterval: metrics.histogram({
      name: 'kubelet_pleg_relist_interval_seconds',
      help: 'Interval in seconds between relisting in PLEG.',
      buckets: relistBuckets,
    }),
    lastSeen: metrics.gauge({
      name: 'kubelet_pleg_last_seen_seconds',
      help: 'Timestamp in seconds when PLEG was last seen active.',
    }),
    discarded: metrics.counter({
      name: 'kubelet_pleg_discard_events',
      help: 'The number of discard events in PLEG.',
    }),
    runningPods: metrics.gauge({
      name: 'kubelet_running_pods',
      help: 'Number of pods that have a running pod sandbox.',
    }),
    runningContainers: metrics.gauge({
      name: 'kubelet_running_containers',
      help: 'Number of containers, by state.',
      labels: ['container_state'],
    }),
  };
}

export type PlegMetrics = ReturnType<typeof createPlegMetrics>;

/** Metrics of the event stream: the kubelet's, and one of this package for changes without an event. */
export function createEventedPlegMetrics(metrics: Metrics) {
  return {
    connectionSuccesses: metrics.counter({
      name: 'kubelet_evented_pleg_connection_success_count',
      help: 'The number of times a streaming client was obtained to receive CRI Events.',
    }),
    connectionErrors: metrics.counter({
      name: 'kubelet_evented_pleg_connection_error_count',
      help: 'The number of errors encountered during the establishment of streaming connection with the CRI runtime.',
    }),
    connectionLatency: metrics.histogram({
      name: 'kubelet_evented_pleg_connection_latency_seconds',
      help: 'The latency of streaming connection with the CRI runtime, measured in seconds.',
      buckets: relistBuckets,
    }),
    drift: metrics.counter({
      name: 'nodeagent_pleg_drift_total',
      help: 'Containers and sandboxes that a relist found in a state that no event had reported, by occasion.',
      labels: ['found_at'],
    }),
  };
}

export type EventedPlegMetrics = ReturnType<typeof createEventedPlegMetrics>;

/** Pods with a running sandbox, and containers by state. */
export interface RunningCounts {
  pods: number;
  containers: Record<RuntimeContainerState, number>;
}

export function countRunning(pods: Iterable<RuntimePod>): RunningCounts {
  const counts: RunningCounts = { pods: 0, containers: { created: 0, running: 0, exited: 0, unknown: 0 } };
  for (const pod of pods) {
    if (hasRunningSandbox(pod)) counts.pods++;
    for (const { state } of pod.containers) counts.containers[state]++;
  }
  return counts;
}
