import type { Metrics, VolumePlugin, VolumeSpec } from '@nodeagent/api';

const operationBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

/** The manager's metrics, with the kubelet's names. */
export function createVolumeMetrics(metrics: Metrics) {
  const storageOperations = metrics.histogram({
    name: 'storage_operation_duration_seconds',
    help: 'Storage operation duration',
    labels: ['volume_plugin', 'operation_name', 'status', 'migrated'],
    buckets: operationBuckets,
  });
  const totals = metrics.histogram({
    name: 'volume_operation_total_seconds',
    help: 'Storage operation end to end duration in seconds',
    labels: ['plugin_name', 'operation_name'],
    buckets: operationBuckets,
  });
  const volumes = metrics.gauge({
    name: 'volume_manager_total_volumes',
    help: 'Number of volumes in Volume Manager',
    labels: ['plugin_name', 'state'],
  });
  const counted = new Map<string, Set<string>>();
  const counter = (name: string, help: string) => metrics.counter({ name, help });
  const nameOf = (plugin: VolumePlugin, spec: VolumeSpec) => plugin.metricName?.(spec) ?? plugin.name;

  const total = (plugin: VolumePlugin, spec: VolumeSpec, operation: string, seconds: number) =>
    totals.observe(seconds, { plugin_name: nameOf(plugin, spec), operation_name: operation });

  return {
    /** Observes a finished operation of a plugin. */
    operation(plugin: VolumePlugin, spec: VolumeSpec, operation: string, failed: boolean, seconds: number): void {
      const labels = { volume_plugin: nameOf(plugin, spec), operation_name: operation, migrated: 'false' };
      storageOperations.observe(seconds, { ...labels, status: failed ? 'fail-unknown' : 'success' });
    },
    total,
    /** Sets the number of volumes of each plugin in a state. */
    volumes(state: 'actual_state_of_world' | 'desired_state_of_world', counts: ReadonlyMap<string, number>): void {
      const seen = counted.get(state) ?? new Set();
      counted.set(state, seen);
      for (const name of counts.keys()) seen.add(name);
      for (const name of seen) volumes.set(counts.get(name) ?? 0, { plugin_name: name, state });
    },
    reconstructed: counter(
      'reconstruct_volume_operations_total',
      'The number of volumes that were attempted to be reconstructed from the operating system during startup.',
    ),
    reconstructionErrors: counter(
      'reconstruct_volume_operations_errors_total',
      'The number of volumes that failed reconstruction from the operating system during startup.',
    ),
    forceCleaned: counter(
      'force_cleaned_failed_volume_operations_total',
      'The number of volumes that were force cleaned after their reconstruction failed during startup.',
    ),
    forceCleanErrors: counter(
      'force_cleaned_failed_volume_operation_errors_total',
      'The number of volumes that failed force cleanup after their reconstruction failed during startup.',
    ),
  };
}

export type VolumeMetrics = ReturnType<typeof createVolumeMetrics>;
