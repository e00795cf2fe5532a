import type { ContainerStatus, Metrics, PodStatus } from '@nodeagent/api';

const containerLists = [
  ['initContainerStatuses', 'init_container'],
  ['containerStatuses', 'container'],
  ['ephemeralContainerStatuses', 'ephemeral_container'],
] as const;

/** Counts the containers that a new status reports as terminated and the old one did not. */
export function terminatedContainersCounter(metrics: Metrics): (oldStatus: PodStatus, newStatus: PodStatus) => void {
  const counter = metrics.counter({
    name: 'kubelet_terminated_containers_total',
    help: 'Containers that have terminated.',
    labels: ['container_type', 'exit_code', 'reason'],
  });
  return (oldStatus, newStatus) => {
    for (const [list, type] of containerLists) {
      for (const { terminated } of newlyTerminated(oldStatus[list], newStatus[list])) {
        counter.inc({ container_type: type, exit_code: String(terminated.exitCode), reason: terminated.reason ?? '' });
      }
    }
  };
}

function* newlyTerminated(oldStatuses: readonly ContainerStatus[] = [], newStatuses: readonly ContainerStatus[] = []) {
  for (const { name, containerID, state } of newStatuses) {
    if (!state?.terminated) continue;
    const old = oldStatuses.find((status) => status.name === name);
    if (!old?.state?.terminated || old.containerID !== containerID) yield { terminated: state.terminated };
  }
}
