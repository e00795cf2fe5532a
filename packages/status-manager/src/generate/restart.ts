import {
  type Container,
  type ContainerStatus,
  isPodConditionTrue,
  matchingRestartRule,
  newestInstance,
  type Pod,
  type PodRuntimeStatus,
  type PodStatus,
  type RuntimeContainerStatus,
} from '@nodeagent/api';
import { podConditions } from '../conditions.js';

/** Whether a rule of the pod's regular or init containers may restart all of them: KEP-5532. */
export function hasRestartAllContainersRule(pod: Pod): boolean {
  return (pod.spec?.containers.some(mayRestartAll) || pod.spec?.initContainers?.some(mayRestartAll)) ?? false;
}

function mayRestartAll(container: Container): boolean {
  return container.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') ?? false;
}

/**
 * Whether all containers are being restarted, because it was so before or because one exited with a code that asks for it, by what the
 * runtime or the old status says. A container that the runtime has removed or started again does not ask any more.
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

/** Whether a regular container has been started in the pod's present sandbox, so that all its init containers are through. */
export function podHasInitialized(pod: Pod, status: Pick<PodRuntimeStatus, 'activeContainerStatuses'>): boolean {
  return status.activeContainerStatuses.some(({ name }) => pod.spec?.containers.some((container) => container.name === name));
}
