import type { Container } from '../objects/container.js';
import type { Pod } from '../objects/pod.js';

/** The message of a resize event: the requested resources, the pod's generation and, for a refused one, the reason. */
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
