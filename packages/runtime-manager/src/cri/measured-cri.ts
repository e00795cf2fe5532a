import type { Clock, Metrics } from '@nodeagent/api';
import type { CallOptions } from '@nodeagent/cri-api';
import type { CriRuntime } from './cri-runtime.js';

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

  const measured = <Request, Response>(operation: string, method: (request: Request, options?: CallOptions) => Promise<Response>) => {
    const of = { operation_type: operation };
    return async (request: Request, options?: CallOptions): Promise<Response> => {
      const start = clock.monotonic();
      total.inc(of);
      try {
        return await method.call(cri, request, options);
      } catch (error) {
        errors.inc(of);
        throw error;
      } finally {
        duration.observe((clock.monotonic() - start) / 1000, of);
      }
    };
  };

  return {
    version: measured('version', cri.version),
    status: measured('status', cri.status),
    runPodSandbox: measured('run_podsandbox', cri.runPodSandbox),
    stopPodSandbox: measured('stop_podsandbox', cri.stopPodSandbox),
    removePodSandbox: measured('remove_podsandbox', cri.removePodSandbox),
    podSandboxStatus: measured('podsandbox_status', cri.podSandboxStatus),
    listPodSandbox: measured('list_podsandbox', cri.listPodSandbox),
    createContainer: measured('create_container', cri.createContainer),
    startContainer: measured('start_container', cri.startContainer),
    stopContainer: measured('stop_container', cri.stopContainer),
    removeContainer: measured('remove_container', cri.removeContainer),
    listContainers: measured('list_containers', cri.listContainers),
    containerStatus: measured('container_status', cri.containerStatus),
    containerStats: measured('container_stats', cri.containerStats),
    updateContainerResources: measured('update_container', cri.updateContainerResources),
    updatePodSandboxResources: measured('update_podsandbox_resources', cri.updatePodSandboxResources),
    execSync: measured('exec_sync', cri.execSync),
    exec: measured('exec', cri.exec),
    attach: measured('attach', cri.attach),
    portForward: measured('port_forward', cri.portForward),
    updateRuntimeConfig: measured('update_runtime_config', cri.updateRuntimeConfig),
  };
}
