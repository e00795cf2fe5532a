import type { ContainerStatus, Pod, PodStatus } from '@nodeagent/api';
import { isSidecar, isStaticPod, isTerminalPhase } from '@nodeagent/api/helpers';
import { containerStatusUnknown, lostContainer } from '../generate/convert-container.js';

/**
 * The status of a pod whose containers have terminated for good. A container that was started and has no known exit is reported with exit
 * code 137; one that never started is unchanged. The phase becomes terminal, except for a static pod, which restarts.
 */
export function terminatePodStatus(pod: Pod, oldStatus: PodStatus): PodStatus {
  const status = { ...oldStatus };
  if (hasPodInitialized(pod)) status.containerStatuses = oldStatus.containerStatuses?.map(ended);
  const startedInits = countStartedInitContainers(oldStatus.initContainerStatuses ?? []);
  status.initContainerStatuses = oldStatus.initContainerStatuses?.map((container, index) =>
    index < startedInits ? ended(container) : container,
  );
  if (!isStaticPod(pod) && !isTerminalPhase(status.phase)) status.phase = 'Failed';
  if (status.containerStatuses === undefined) delete status.containerStatuses;
  if (status.initContainerStatuses === undefined) delete status.initContainerStatuses;
  return status;
}

function ended(container: ContainerStatus): ContainerStatus {
  if (container.state?.terminated) return container;
  const message = 'The container could not be located when the pod was terminated';
  return { ...container, state: { terminated: lostContainer(containerStatusUnknown, message) } };
}

/** Whether, by the API server's status, a regular container was started or the last init container has completed. */
function hasPodInitialized({ spec, status }: Pod): boolean {
  const initContainers = spec?.initContainers ?? [];
  if (initContainers.length === 0 || status?.containerStatuses?.some(hasStarted)) return true;
  const initStatuses = status?.initContainerStatuses ?? [];
  const last = initStatuses.at(-1);
  const container = initContainers[initStatuses.length - 1];
  if (last === undefined || container?.name !== last.name) return false;
  if (isSidecar(container)) return last.state?.running !== undefined && last.started === true;
  return last.lastState?.terminated?.exitCode === 0 || last.state?.terminated?.exitCode === 0;
}

function hasStarted({ state, lastState }: ContainerStatus): boolean {
  return !state?.waiting || lastState?.terminated !== undefined;
}

/** The init containers up to the last one that started, at least the first one. */
function countStartedInitContainers(statuses: readonly ContainerStatus[]): number {
  return Math.max(statuses.findLastIndex(hasStarted) + 1, 1);
}
