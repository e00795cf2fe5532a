import type { Pod } from '@nodeagent/api';
import { isSidecar } from '@nodeagent/api/helpers';

/** Whether the pod has init containers that are sidecars. */
export function hasSidecars(pod: Pod): boolean {
  return pod.spec?.initContainers?.some(isSidecar) ?? false;
}
