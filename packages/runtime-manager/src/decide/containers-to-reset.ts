import type { Pod, PodRuntimeStatus } from '@nodeagent/api';
import type { ContainerToReset } from './pod-actions.js';
import { triggersRestartAllContainers } from './should-restart.js';

/**
 * The containers that an in-place restart of the whole pod (KEP-5532) removes: every instance of every container. The instances whose
 * exit triggered it come last: if the agent crashes during the removal, the trigger remains.
 */
export function containersToReset(pod: Pod, status: Pick<PodRuntimeStatus, 'containerStatuses'>): ContainerToReset[] {
  const others: ContainerToReset[] = [];
  const triggers: ContainerToReset[] = [];
  for (const container of [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])]) {
    for (const instance of status.containerStatuses.filter(({ name }) => name === container.name)) {
      const list = triggersRestartAllContainers(container, instance) ? triggers : others;
      list.push({ id: instance.id, name: container.name, kill: instance.state !== 'exited' });
    }
  }
  return [...others, ...triggers];
}
