import type { Metrics } from '@nodeagent/api';

/** The metrics of eviction with the kubelet's names. */
export function createEvictionMetrics(metrics: Metrics) {
  return {
    evictions: metrics.counter({
      name: 'kubelet_evictions',
      help: 'Cumulative number of pod evictions by eviction signal',
      labels: ['eviction_signal'],
    }),
    statsAge: metrics.histogram({
      name: 'kubelet_eviction_stats_age_seconds',
      help: 'Time between when stats are collected, and when pod is evicted based on those stats by eviction signal',
      labels: ['eviction_signal'],
    }),
  };
}
