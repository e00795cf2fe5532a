import type { Clock, Metrics } from '@nodeagent/api';
import { type CriRuntime, wrapCri } from './methods.js';

/** The runtime with metrics for each call, under the kubelet's operation names. */
export function measuredCri(cri: CriRuntime, clock: Clock, metrics: Metrics): CriRuntime {
  const labels = ['operation_type'];
  const total = metrics.counter({ name: 'kubelet_runtime_operations_total', help: 'Calls of the container runtime.', labels });
  const errors = metrics.counter({
    name: 'kubelet_runtime_operations_errors_total',
    help: 'Failed calls of the container runtime.',
    labels,
  });
  const duration = metrics.histogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: 'Duration of calls of the container runtime in seconds.',
    labels,
  });

  return wrapCri(cri, ({ kubeletName }, call) => {
    const of = { operation_type: kubeletName };
    return async (request, options) => {
      const start = clock.monotonic();
      total.inc(of);
      try {
        return await call(request, options);
      } catch (error) {
        errors.inc(of);
        throw error;
      } finally {
        duration.observe((clock.monotonic() - start) / 1000, of);
      }
    };
  });
}
