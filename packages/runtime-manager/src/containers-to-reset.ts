import type { Pod, PodRuntimeStatus } from '@nodeagent/api';
import type { ContainerToReset } from './pod-actions.js';
import { triggersRestartAllContainers } from './should-restart.js';

/**
 * What a restart of the whole pod in place (KEP-5532) removes: every instance of every container, those whose exit caused it
 * last, so that a crash on the way leaves the cause to be seen.
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
