import { isStaticPod, newestInstance, type Pod, type PodRuntimeStatus, type ResourceRequirements } from '@nodeagent/api';
import { appliedResources } from './actuated-resources.js';
import { resourceValues, sameResourceValues } from './resource-values.js';

/** Whether a running container of the pod has other resources than its spec: KEP-1287. Static pods are not resized. */
export function isPodResizeInProgress(
  pod: Pod,
  status: Pick<PodRuntimeStatus, 'containerStatuses'>,
  actuated: ReadonlyMap<string, ResourceRequirements>,
): boolean {
  if (isStaticPod(pod)) return false;
  const resizable = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return resizable.some((container) => {
    if (newestInstance(status.containerStatuses, container.name)?.state !== 'running') return false;
    const wanted = resourceValues(appliedResources(pod, container));
    return !sameResourceValues(wanted, resourceValues(actuated.get(container.name)));
  });
}
