import type { ContainerStatus, Pod, PodCondition, PodStatus } from '@nodeagent/api';
import { replaceOrAppendCondition } from '@nodeagent/api/helpers';
import { generateContainersReadyCondition, generatePodReadyCondition } from '../generate/ready-conditions.js';

/** The regular or init container with that id, `<runtime>://<id>`. */
export function findContainerStatus(status: PodStatus, containerId: string): ContainerStatus | undefined {
  const hasId = ({ containerID }: ContainerStatus) => containerID === containerId;
  return status.containerStatuses?.find(hasId) ?? status.initContainerStatuses?.find(hasId);
}

/** The status with this container's status replaced. */
export function replaceContainerStatus(status: PodStatus, container: ContainerStatus, by: ContainerStatus): PodStatus {
  const replace = (list: ContainerStatus[] | undefined) => list?.map((candidate) => (candidate === container ? by : candidate));
  const { initContainerStatuses, containerStatuses } = status;
  return {
    ...status,
    ...(initContainerStatuses && { initContainerStatuses: replace(initContainerStatuses) }),
    ...(containerStatuses && { containerStatuses: replace(containerStatuses) }),
  };
}

/** The status with `Ready` and `ContainersReady` as they follow from its containers; the other conditions stay. */
export function recomputeReady(pod: Pod, status: PodStatus): PodStatus {
  const { phase = '', initContainerStatuses = [], containerStatuses = [] } = status;
  const input = { pod, phase, containerStatuses: [...initContainerStatuses, ...containerStatuses] };
  const before: readonly PodCondition[] = status.conditions ?? [];
  const withReady = replaceOrAppendCondition(before, generatePodReadyCondition({ ...input, conditions: before }));
  return { ...status, conditions: replaceOrAppendCondition(withReady, generateContainersReadyCondition(input)) };
}
