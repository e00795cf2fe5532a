import type { Container } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';

/** What the events of a resize say of it: the resources that are asked for, the pod's generation, and why it does not go on. */
export function podResizeDetails({ metadata, spec }: Pod, error = '', generation = metadata?.generation): string {
  const list = (containers: readonly Container[] | undefined) =>
    containers?.map(({ name, resources }) => ({
      name,
      resources: { ...(resources?.limits && { limits: resources.limits }), ...(resources?.requests && { requests: resources.requests }) },
    }));
  const initContainers = spec?.initContainers?.length ? list(spec.initContainers) : undefined;
  return JSON.stringify({
    ...(initContainers && { initContainers }),
    containers: list(spec?.containers) ?? [],
    ...(generation && { generation }),
    ...(error && { error }),
  });
}
