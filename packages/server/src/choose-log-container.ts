import type { ContainerStatus, PodStatus } from '@nodeagent/api';
import { findContainerStatus, quoteText } from '@nodeagent/api/helpers';

/** The container with the requested logs, as `TYPE://ID`, or why there is none. */
export type LogContainer = { containerId: string } | { error: string };

export interface LogContainerInput {
  podName: string;
  containerName: string;
  /** The node's status of the pod, which may be newer than the API server's. */
  status: PodStatus | undefined;
  /** Whether the logs of the attempt before are wanted. */
  previous: boolean;
}

/** Chooses as `kubectl logs` documents it: Kubernetes API, PodLogOptions. */
export function chooseLogContainer({ podName, containerName, status, previous }: LogContainerInput): LogContainer {
  const what = `container ${quoteText(containerName)} in pod ${quoteText(podName)}`;
  const found = findContainerStatus(status, containerName);
  if (found === undefined) return { error: `${what} is not available` };
  const last = found.lastState?.terminated;
  const { running, terminated, waiting } = found.state ?? {};
  if (previous) return last?.containerID ? { containerId: last.containerID } : { error: `previous terminated ${what} not found` };
  if (running) return { containerId: found.containerID ?? '' };
  if (terminated || last) {
    const containerId = terminated?.containerID || last?.containerID;
    return containerId ? { containerId } : { error: `${what} is terminated` };
  }
  return { error: `${what} is waiting to start${waitingFor(waiting)}` };
}

function waitingFor(waiting: NonNullable<ContainerStatus['state']>['waiting']): string {
  if (!waiting) return ' - no logs yet';
  if (waiting.reason === 'ErrImagePull') return ": image can't be pulled";
  if (waiting.reason === 'ImagePullBackOff') return ': trying and failing to pull image';
  return `: ${waiting.reason ?? ''}`;
}
