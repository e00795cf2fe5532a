import type { Pod, PodCondition, PodRuntimeStatus, PodStatus, RuntimeContainerStatus } from '@nodeagent/api';
import { isPodConditionTrue, isSidecar, podSandboxChanged } from '@nodeagent/api/helpers';
import { podCondition, podConditions } from '../conditions.js';
import { type ContainerConditionInput, listContainers, sortOut } from './ready-conditions.js';
import { shouldAllContainersRestart } from './restart.js';

/**
 * `Initialized`: init containers have completed and sidecars have started. It also stays true if regular containers have run or the previous
 * status has it true, since init containers run again when the sandbox changes. Without times.
 */
export function generatePodInitializedCondition({
  pod,
  containerStatuses,
  phase,
  oldStatus,
}: ContainerConditionInput & { oldStatus?: PodStatus | undefined }): PodCondition {
  const type = podConditions.initialized;
  const generation = pod.metadata?.generation;
  const initContainers = pod.spec?.initContainers ?? [];
  if (containerStatuses === undefined && initContainers.length > 0) {
    return podCondition(type, false, generation, 'UnknownContainerStatuses');
  }
  const statuses = containerStatuses ?? [];
  const { unknown, failing } = sortOut(initContainers, statuses, (container, status) =>
    isSidecar(container) ? status.started === true : status.ready,
  );
  if (phase === 'Succeeded' && unknown.length === 0) return podCondition(type, true, generation, 'PodCompleted');
  const message = listContainers(unknown, failing, 'incomplete');
  if (message === '' || isPodConditionTrue(oldStatus, type)) return podCondition(type, true, generation);
  const anyStarted = pod.spec?.containers.some(({ name }) => {
    const state = statuses.find((status) => status.name === name)?.state;
    return state?.running !== undefined || state?.terminated !== undefined;
  });
  return anyStarted ? podCondition(type, true, generation) : podCondition(type, false, generation, 'ContainersNotInitialized', message);
}

/** `PodReadyToStartContainers`: the pod has a working sandbox with its network (KEP-3085). Without times. */
export function generatePodReadyToStartContainersCondition(
  pod: Pod,
  runtimeStatus: Pick<PodRuntimeStatus, 'sandboxStatuses'>,
): PodCondition {
  return podCondition(podConditions.readyToStartContainers, !podSandboxChanged(pod, runtimeStatus).changed, pod.metadata?.generation);
}

/** `AllContainersRestarting`: a container's exit made all containers restart (KEP-5532). Without times and generation. */
export function generateAllContainersRestartingCondition({
  pod,
  runtimeStatuses,
  oldStatus,
  phase,
}: {
  pod: Pod;
  /** All instances that the runtime has, newest first. */
  runtimeStatuses: readonly RuntimeContainerStatus[];
  oldStatus: PodStatus | undefined;
  phase: string;
}): PodCondition {
  const type = podConditions.allContainersRestarting;
  if (phase === 'Succeeded') return podCondition(type, false, undefined, 'PodCompleted');
  if (phase === 'Failed') return podCondition(type, false, undefined, 'PodFailed');
  const left = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].some(({ name }) =>
    runtimeStatuses.some((status) => status.name === name),
  );
  if (!left || !shouldAllContainersRestart(pod, runtimeStatuses, oldStatus)) return podCondition(type, false, undefined);
  return podCondition(type, true, undefined, 'RestartAllContainersStarted', 'container exited with restart policy rule');
}
