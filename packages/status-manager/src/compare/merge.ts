import type { Pod, PodCondition, PodStatus } from '@nodeagent/api';
import { formatTime, isPodConditionTrue, isTerminalPhase, replaceOrAppendCondition } from '@nodeagent/api/helpers';
import { isKubeletCondition, isSharedCondition, podConditions } from '../conditions.js';
import { fieldsWith } from '../field-rules.js';
import { terminalCondition } from '../generate/ready-conditions.js';
import { updateLastTransitionTimes, updatePodCondition } from './transition-time.js';

const fieldsOfOthers = fieldsWith('isOfOthers');

/** Inputs of {@link mergePodStatus}, which does not change them. The result shares parts of them. */
export interface MergeStatusInput {
  pod: Pod;
  /** The status in the API server. */
  apiStatus: PodStatus;
  /** The status that this node computed. */
  newStatus: PodStatus;
  /** Whether containers may still run or resources are still held; the pod must then not be reported as terminated. */
  couldHaveRunningContainers: boolean;
  /** Wall-clock time in milliseconds. */
  now: number;
}

/**
 * The status to write: this node's, merged with the fields that other writers own in the API server. A pod whose containers may still run
 * does not get a terminal phase, so that its resources are not reused; a terminated pod is never reported ready.
 */
export function mergePodStatus({ pod, apiStatus, newStatus, couldHaveRunningContainers, now }: MergeStatusInput): PodStatus {
  const ending = !isTerminalPhase(apiStatus.phase) && isTerminalPhase(newStatus.phase);
  const merged: PodStatus = {
    ...newStatus,
    conditions: mergeConditions(apiStatus, newStatus, ending && !couldHaveRunningContainers, now),
  };
  const keep = <F extends keyof PodStatus>(field: F) => {
    merged[field] = apiStatus[field];
  };
  fieldsOfOthers.forEach(keep);
  if (ending && couldHaveRunningContainers) {
    merged.phase = apiStatus.phase;
    merged.reason = apiStatus.reason;
    merged.message = apiStatus.message;
  }
  const { phase = '' } = merged;
  const hasTrueReadyCondition =
    isPodConditionTrue(merged, podConditions.ready) || isPodConditionTrue(merged, podConditions.containersReady);
  if (isTerminalPhase(phase) && hasTrueReadyCondition) {
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

/** Removes fields with the value undefined, because patches compare the JSON form. */
function withoutUndefined<T extends object>(object: T): T {
  for (const key of Object.keys(object) as (keyof T)[]) if (object[key] === undefined) delete object[key];
  return object;
}
