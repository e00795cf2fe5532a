import type { PodCondition, PodStatus, Time } from '@nodeagent/api';
import { findPodCondition, replaceOrAppendCondition } from '@nodeagent/api/helpers';
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

/** The transition time of a condition: the old one's if that had the same status, else now. */
function transitionTime(condition: PodCondition, oldStatus: PodStatus, now: Time): Time | undefined {
  const old = findPodCondition(oldStatus, condition.type);
  return old?.status === condition.status ? (old.lastTransitionTime ?? undefined) : now;
}

/** Sets the transition times from the old status; only a change of `status` is a transition, not of the reason. */
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

/** Replaces or adds the condition; keeps the transition time if its status is unchanged, else sets it to now. */
export function updatePodCondition(conditions: readonly PodCondition[], condition: PodCondition, now: Time): PodCondition[] {
  const lastTransitionTime = transitionTime(condition, { conditions: [...conditions] }, now);
  return replaceOrAppendCondition(conditions, { ...condition, lastTransitionTime: lastTransitionTime ?? null });
}
