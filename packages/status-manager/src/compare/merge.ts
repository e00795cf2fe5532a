import {
  formatTime,
  isPodConditionTrue,
  isTerminalPhase,
  type Pod,
  type PodCondition,
  type PodStatus,
  replaceOrAppendCondition,
} from '@nodeagent/api';
import { isKubeletCondition, isSharedCondition, podConditions } from '../conditions.js';
import { terminalCondition } from '../generate/ready-conditions.js';
import { updateLastTransitionTimes, updatePodCondition } from './transition-time.js';

/** What {@link mergePodStatus} decides by. Nothing in it is changed; the result shares parts of it. */
export interface MergeStatusInput {
  pod: Pod;
  /** What the API server has. */
  apiStatus: PodStatus;
  /** What this node says. */
  newStatus: PodStatus;
  /** Containers may still run, or something of the pod is still held: it must not be reported as ended. */
  couldHaveRunningContainers: boolean;
  /** Clock time in milliseconds. */
  now: number;
}

/**
 * The status to write: this node's, with what others wrote in the API server's. A pod whose containers may still run does not reach a
 * terminal phase yet, so that nobody reuses what it holds; an ended pod is never reported ready.
 */
export function mergePodStatus({ pod, apiStatus, newStatus, couldHaveRunningContainers, now }: MergeStatusInput): PodStatus {
  const ending = !isTerminalPhase(apiStatus.phase) && isTerminalPhase(newStatus.phase);
  const merged: PodStatus = {
    ...newStatus,
    conditions: mergeConditions(apiStatus, newStatus, ending && !couldHaveRunningContainers, now),
    resourceClaimStatuses: apiStatus.resourceClaimStatuses,
    extendedResourceClaimStatus: apiStatus.extendedResourceClaimStatus,
    nodeAllocatableResourceClaimStatuses: apiStatus.nodeAllocatableResourceClaimStatuses,
  };
  if (ending && couldHaveRunningContainers) {
    merged.phase = apiStatus.phase;
    merged.reason = apiStatus.reason;
    merged.message = apiStatus.message;
  }
  const { phase = '' } = merged;
  const looksReady = isPodConditionTrue(merged, podConditions.ready) || isPodConditionTrue(merged, podConditions.containersReady);
  if (isTerminalPhase(phase) && looksReady) {
    for (const type of [podConditions.containersReady, podConditions.ready]) {
      const condition = terminalCondition(type, phase, pod.metadata?.generation);
      merged.conditions = updatePodCondition(merged.conditions ?? [], condition, formatTime(now));
    }
  }
  return withoutUndefined(merged);
}

function mergeConditions(apiStatus: PodStatus, newStatus: PodStatus, ended: boolean, now: number): PodCondition[] {
  let conditions = apiStatus.conditions?.filter(({ type }) => !isKubeletCondition(type)) ?? [];
  for (const condition of newStatus.conditions ?? []) {
    if (isKubeletCondition(condition.type)) conditions.push(condition);
    else if (ended && isSharedCondition(condition.type)) {
      const timed = updateLastTransitionTimes([condition], apiStatus, formatTime(now));
      conditions = timed.reduce(replaceOrAppendCondition, conditions);
    }
  }
  return conditions;
}

/** An absent field, not one with the value undefined: the status becomes JSON, and a patch by its difference. */
function withoutUndefined<T extends object>(object: T): T {
  for (const key of Object.keys(object) as (keyof T)[]) if (object[key] === undefined) delete object[key];
  return object;
}
