import type { PodCondition } from '@nodeagent/api';

/** Pod conditions that the kubelet alone writes: Kubernetes documentation, "Pod Lifecycle: Pod conditions". */
export const podConditions = {
  podScheduled: 'PodScheduled',
  ready: 'Ready',
  initialized: 'Initialized',
  containersReady: 'ContainersReady',
  resizePending: 'PodResizePending',
  resizeInProgress: 'PodResizeInProgress',
  readyToStartContainers: 'PodReadyToStartContainers',
  allContainersRestarting: 'AllContainersRestarting',
} as const;

/** The pod is about to be terminated by a disruption. The scheduler and other components write this condition too. */
export const disruptionTarget = 'DisruptionTarget';

const owned: ReadonlySet<string> = new Set(Object.values(podConditions));

/** Whether only the kubelet writes this condition. Other conditions keep the API server's value. */
export function isKubeletCondition(type: string): boolean {
  return owned.has(type);
}

/** Whether both the kubelet and other components write this condition. */
export function isSharedCondition(type: string): boolean {
  return type === disruptionTarget;
}

/** A condition of this generation of the pod, without times; omits empty strings. */
export function podCondition(
  type: string,
  status: boolean | string,
  generation: number | undefined,
  reason?: string,
  message?: string,
): PodCondition {
  const condition: PodCondition = { type, status: typeof status === 'string' ? status : status ? 'True' : 'False' };
  if (generation) condition.observedGeneration = generation;
  if (reason) condition.reason = reason;
  if (message) condition.message = message;
  return condition;
}
