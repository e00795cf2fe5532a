import { formatTime, type Pod, type PodCondition, type PodStatus } from '@nodeagent/api';
import { evictedReason } from './admit.js';

/** What an evicted pod reports: Kubernetes documentation, "Pod disruption conditions". Without a condition the pod is its own fault. */
export function evictedStatus(before: PodStatus, message: string, condition: PodCondition | undefined): PodStatus {
  const status = { ...before, phase: 'Failed', reason: evictedReason, message };
  if (condition === undefined) return status;
  const others = (before.conditions ?? []).filter(({ type }) => type !== condition.type);
  return { ...status, conditions: [...others, condition] };
}

/** Says that the node's pressure, not the pod, is why it ends. `now` is in milliseconds since 1970. */
export function disruptionTarget(pod: Pod, message: string, now: number): PodCondition {
  const generation = pod.metadata?.generation;
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'TerminationByKubelet',
    message,
    lastTransitionTime: formatTime(now),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}
