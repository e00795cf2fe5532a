import type { Metrics } from '@nodeagent/api';

/** The metrics of device plugins with the kubelet's names. */
export function createDeviceMetrics(metrics: Metrics) {
  return {
    registrations: metrics.counter({
      name: 'kubelet_device_plugin_registration_total',
      help: 'Cumulative number of device plugin registrations. Broken down by resource name.',
      labels: ['resource_name'],
    }),
    allocationSeconds: metrics.histogram({
      name: 'kubelet_device_plugin_alloc_duration_seconds',
      help: 'Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.',
      labels: ['resource_name'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    }),
  };
}

export type DeviceMetrics = ReturnType<typeof createDeviceMetrics>;
