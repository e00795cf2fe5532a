import { integerFrom, invalidArgument } from '../contracts/arguments.js';
import type { Pod } from '../objects/pod.js';
import type { ContainerStatus, PodCondition, PodStatus } from '../objects/pod-status.js';
import { formatTime, parseTime } from './time.js';

/** The condition of that type, or undefined. */
export function findPodCondition(
  status: { conditions?: readonly PodCondition[] | null | undefined } | undefined,
  type: string,
): PodCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** The conditions of a pod or node with this one replacing the one of its type, or appended. */
export function replaceOrAppendCondition<T extends { type: string }>(conditions: readonly T[], condition: T): T[] {
  const index = conditions.findIndex(({ type }) => type === condition.type);
  return index < 0 ? [...conditions, condition] : conditions.with(index, condition);
}

/**
 * The status of a pod that the node terminates (eviction, preemption, node shutdown): phase Failed, with the condition DisruptionTarget.
 * `now` is in milliseconds since 1970. Kubernetes documentation, "Disruptions: Pod disruption conditions".
 */
export function terminatedByKubelet(
  pod: Pod,
  before: PodStatus,
  { reason, message, conditionMessage = message }: { reason: string; message: string; conditionMessage?: string },
  now: number,
): PodStatus {
  const generation = pod.metadata?.generation;
  const condition: PodCondition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message: conditionMessage,
    lastTransitionTime: formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  return { ...before, phase: 'Failed', reason, message, conditions: replaceOrAppendCondition(before.conditions ?? [], condition) };
}

/** Whether the condition of that type exists and is `True`. */
export function isPodConditionTrue(status: PodStatus | undefined, type: string): boolean {
  return findPodCondition(status, type)?.status === 'True';
}

/** The container status with that name among init, regular and ephemeral containers. */
export function findContainerStatus(status: PodStatus | undefined, name: string): ContainerStatus | undefined {
  return allContainerStatuses(status).find((container) => container.name === name);
}

/** The statuses of init, regular and ephemeral containers, in this order. */
export function allContainerStatuses(status: PodStatus | undefined): ContainerStatus[] {
  return [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? []), ...(status?.ephemeralContainerStatuses ?? [])];
}

/** Whether the condition `Ready` is true. */
export function isPodReady(pod: Pod): boolean {
  return isPodConditionTrue(pod.status, 'Ready');
}

/** Whether the pod has been ready for at least `minReadySeconds` at `now` (milliseconds). Throws `InvalidArgument`. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  integerFrom('minReadySeconds', minReadySeconds, 0);
  if (!Number.isFinite(now)) throw invalidArgument('now', 'a time in milliseconds', now);
  if (!isPodReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = parseTime(findPodCondition(pod.status, 'Ready')?.lastTransitionTime);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}
