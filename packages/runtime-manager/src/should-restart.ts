import {
  type Container,
  matchingRestartRule,
  type Pod,
  type PodRuntimeStatus,
  type RuntimeContainerStatus,
  shouldRestartOnExit,
} from '@nodeagent/api';

/** The newest status of the container of that name; the runtime's statuses come newest first. */
export function findStatus(status: Pick<PodRuntimeStatus, 'containerStatuses'>, name: string): RuntimeContainerStatus | undefined {
  return status.containerStatuses.find((candidate) => candidate.name === name);
}

/** Whether a regular container that does not run should be started: Kubernetes documentation, "Container restart policy". */
export function shouldContainerBeRestarted(container: Container, pod: Pod, status: Pick<PodRuntimeStatus, 'containerStatuses'>): boolean {
  if (pod.metadata?.deletionTimestamp) return false;
  const newest = findStatus(status, container.name);
  switch (newest?.state) {
    case undefined:
    case 'unknown':
    case 'created':
      return true;
    case 'running':
      return false;
    case 'exited':
      return shouldRestartOnExit(pod, container, newest.exitCode);
  }
}

/**
 * Whether an instance of the container ended in a way that restarts the whole pod in place (KEP-5532). Unlike for the restart of the
 * container itself, the rules count here without a `restartPolicy` beside them.
 */
export function triggersRestartAllContainers(container: Container, instance: RuntimeContainerStatus | undefined): boolean {
  if (instance?.state !== 'exited') return false;
  return matchingRestartRule({ ...container, restartPolicy: 'Always' }, instance.exitCode)?.action === 'RestartAllContainers';
}
