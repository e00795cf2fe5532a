import type { PodRuntimeStatus } from '@nodeagent/api';
import { isStaticPod, newestInstance } from '@nodeagent/api/helpers';
import { containerResourceValues, podLevelResourcesDiffer } from './applied-and-desired.js';
import type { PodActionsInput } from './pod-actions.js';
import { sameResourceValues } from './resource-values.js';

/** Input of {@link isPodResizeInProgress}. */
export interface ResizeInProgressInput extends Pick<PodActionsInput, 'pod' | 'actuated' | 'actuatedPod'> {
  status: Pick<PodRuntimeStatus, 'containerStatuses'>;
}

/** Whether the applied resources of a pod or of a running container differ from the spec: KEP-1287, KEP-5419. Static pods are not resized. */
export function isPodResizeInProgress(input: ResizeInProgressInput): boolean {
  const { pod, status } = input;
  if (isStaticPod(pod)) return false;
  if (podLevelResourcesDiffer(input)) return true;
  const resizable = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  return resizable.some((container) => {
    if (newestInstance(status.containerStatuses, container.name)?.state !== 'running') return false;
    const { from, to } = containerResourceValues(input, container);
    return !sameResourceValues(from, to);
  });
}
