import type { PodCondition } from '@nodeagent/api';
import { findPodCondition, isTerminalPhase, replaceOrAppendCondition } from '@nodeagent/api/helpers';
import { disruptionTarget, isKubeletCondition, podCondition, podConditions } from '../conditions.js';
import {
  generateAllContainersRestartingCondition,
  generatePodInitializedCondition,
  generatePodReadyToStartContainersCondition,
} from './pod-conditions.js';
import { generateContainersReadyCondition, generatePodReadyCondition } from './ready-conditions.js';
import { hasRestartAllContainersRule } from './restart.js';
import type { StatusFacts } from './status-input.js';

/** The kubelet's conditions, and those of other components from the API server. */
export function generateConditions({
  pod,
  runtimeStatus,
  oldStatus,
  settled,
  containers,
  resizeConditions = [],
}: StatusFacts): PodCondition[] {
  const { phase = '' } = settled;
  const generation = pod.metadata?.generation;
  const all = [...containers.initContainerStatuses, ...containers.containerStatuses];
  const known = { pod, phase, containerStatuses: all.length > 0 ? all : undefined };

  let conditions = pod.status?.conditions?.filter(({ type }) => !isKubeletCondition(type)) ?? [];
  if (!isTerminalPhase(phase)) conditions.push(...resizeConditions);
  const disruption = findPodCondition(oldStatus, disruptionTarget);
  if (disruption) conditions = replaceOrAppendCondition(conditions, disruption);
  conditions.push(generatePodReadyToStartContainersCondition(pod, runtimeStatus));
  conditions.push(generatePodInitializedCondition({ ...known, oldStatus }));
  conditions.push(generatePodReadyCondition({ ...known, conditions }));
  conditions.push(generateContainersReadyCondition(known));
  conditions.push(podCondition(podConditions.podScheduled, true, generation));
  if (hasRestartAllContainersRule(pod)) {
    const runtimeStatuses = runtimeStatus.containerStatuses;
    conditions.push(generateAllContainersRestartingCondition({ pod, runtimeStatuses, oldStatus, phase }));
  }
  return conditions;
}
