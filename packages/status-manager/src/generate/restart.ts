import type { Container, ContainerStatus, Pod, PodRuntimeStatus, PodStatus, RuntimeContainerStatus } from '@nodeagent/api';
import { isPodConditionTrue, matchingRestartRule, newestInstance } from '@nodeagent/api/helpers';
import { podConditions } from '../conditions.js';

/** Whether a rule of the pod's regular or init containers may restart all of them: KEP-5532. */
export function hasRestartAllContainersRule(pod: Pod): boolean {
  return (pod.spec?.containers.some(mayRestartAll) || pod.spec?.initContainers?.some(mayRestartAll)) ?? false;
}

function mayRestartAll(container: Container): boolean {
  return container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false;
}

/**
 * Whether all containers are being restarted: the restart is in progress, or a container exited with a code that triggers it, according to
 * the runtime or the old status. A container that the runtime has removed or restarted no longer triggers it.
 */
export function shouldAllContainersRestart(
  pod: Pod,
  runtimeStatuses: readonly RuntimeContainerStatus[],
  oldStatus: PodStatus | undefined,
): boolean {
  if (isPodConditionTrue(oldStatus, podConditions.allContainersRestarting)) return true;
  const triggers = (container: Container, oldStatuses: readonly ContainerStatus[] | undefined) => {
    if (!mayRestartAll(container)) return false;
    const newest = newestInstance(runtimeStatuses, container.name);
    if (newest?.state !== 'exited') return false;
    const old = oldStatuses?.find(({ name }) => name === container.name)?.state?.terminated;
    return asksFor(container, newest.exitCode) || (old !== undefined && asksFor(container, old.exitCode));
  };
  return (
    (pod.spec?.initContainers?.some((container) => triggers(container, oldStatus?.initContainerStatuses)) ||
      pod.spec?.containers.some((container) => triggers(container, oldStatus?.containerStatuses))) ??
    false
  );
}

function asksFor(container: Container, exitCode: number): boolean {
  return matchingRestartRule(container, exitCode)?.action === 'RestartAllContainers';
}

/** Whether a regular container has been started in the pod's current sandbox, so that all init containers have completed. */
export function podHasInitialized(pod: Pod, status: Pick<PodRuntimeStatus, 'activeContainerStatuses'>): boolean {
  return status.activeContainerStatuses.some(({ name }) => pod.spec?.containers.some((container) => container.name === name));
}
