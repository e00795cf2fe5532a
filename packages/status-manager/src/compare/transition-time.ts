import { findPodCondition, type PodCondition, type PodStatus, replaceOrAppendCondition, type Time } from '@nodeagent/api';
import { disruptionTarget, podConditions } from '../conditions.js';

/** Conditions whose transition times the status manager keeps. */
const timed: ReadonlySet<string> = new Set([
  podConditions.containersReady,
  podConditions.ready,
  podConditions.initialized,
  podConditions.readyToStartContainers,
  podConditions.podScheduled,
  disruptionTarget,
  podConditions.allContainersRestarting,
]);

/** When the condition took its present status: the old one's time if that had the same status, else now. */
function transitionTime(condition: PodCondition, oldStatus: PodStatus, now: Time): Time | undefined {
  const old = findPodCondition(oldStatus, condition.type);
  return old?.status === condition.status ? (old.lastTransitionTime ?? undefined) : now;
}

/** The conditions with the transition times that follow from the old status; only `status` counts as a transition, not the reason. */
export function updateLastTransitionTimes(
  conditions: readonly PodCondition[],
  oldStatus: PodStatus,
  now: Time,
  types: { has(type: string): boolean } = timed,
): PodCondition[] {
  return conditions.map((condition) => {
    if (!types.has(condition.type)) return condition;
    const lastTransitionTime = transitionTime(condition, oldStatus, now);
    return lastTransitionTime === condition.lastTransitionTime
      ? condition
      : { ...condition, lastTransitionTime: lastTransitionTime ?? null };
  });
}

/** The conditions with this one put in: the time of one with the same status is kept, else it is now. */
export function updatePodCondition(conditions: readonly PodCondition[], condition: PodCondition, now: Time): PodCondition[] {
  const lastTransitionTime = transitionTime(condition, { conditions: [...conditions] }, now);
  return replaceOrAppendCondition(conditions, { ...condition, lastTransitionTime: lastTransitionTime ?? null });
}
