import { errorCode, type Metrics } from '@nodeagent/api';

export type ContainerType = 'container' | 'init_container' | 'ephemeral_container';

/** Counts a pod whose sandbox is being created. */
export function countPodStart(metrics: Metrics): { failed(error: unknown): void } {
  metrics.counter({ name: 'kubelet_started_pods_total', help: 'Pods started, by sandbox.' }).inc();
  const errors = { name: 'kubelet_started_pods_errors_total', help: 'Pods whose sandbox could not be started.' };
  return { failed: () => metrics.counter(errors).inc() };
}

/** Counts a container that is being started. */
export function countContainerStart(metrics: Metrics, type: ContainerType): { failed(error: unknown): void } {
  const started = { name: 'kubelet_started_containers_total', help: 'Containers started.', labels: ['container_type'] };
  metrics.counter(started).inc({ container_type: type });
  const errors = {
    name: 'kubelet_started_containers_errors_total',
    help: 'Containers that could not be started, by waiting reason.',
    labels: ['container_type', 'code'],
  };
  return { failed: (error) => metrics.counter(errors).inc({ container_type: type, code: errorCode(error) ?? 'Unknown' }) };
}
