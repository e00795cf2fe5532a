import type { Container, ContainerStatus, Pod, PodCondition } from '@nodeagent/api';
import { findPodCondition, isSidecar } from '@nodeagent/api/helpers';
import { podCondition, podConditions } from '../conditions.js';

/** Inputs of the conditions about containers. */
export interface ContainerConditionInput {
  pod: Pod;
  /** Init and regular containers together; undefined if unknown. */
  containerStatuses: readonly ContainerStatus[] | undefined;
  phase: string;
}

/** `ContainersReady`: every sidecar and regular container is ready. Without times. */
export function generateContainersReadyCondition({ pod, containerStatuses, phase }: ContainerConditionInput): PodCondition {
  const type = podConditions.containersReady;
  const generation = pod.metadata?.generation;
  if (containerStatuses === undefined) return podCondition(type, false, generation, 'UnknownContainerStatuses');

  const sidecars = pod.spec?.initContainers?.filter(isSidecar) ?? [];
  const { unknown, failing } = sortOut([...sidecars, ...(pod.spec?.containers ?? [])], containerStatuses, (_, status) => status.ready);
  if (phase === 'Failed' || (phase === 'Succeeded' && unknown.length === 0)) return terminalCondition(type, phase, generation);
  const message = listContainers(unknown, failing, 'unready');
  return message ? podCondition(type, false, generation, 'ContainersNotReady', message) : podCondition(type, true, generation);
}

/** `Ready`: the containers are ready, and the conditions of the pod's readiness gates are `True` (KEP-580). Without times. */
export function generatePodReadyCondition(
  input: ContainerConditionInput & {
    /** The conditions that the readiness gates refer to. */
    conditions: readonly PodCondition[];
  },
): PodCondition {
  const { pod, conditions } = input;
  const containersReady = generateContainersReadyCondition(input);
  if (containersReady.status !== 'True') return { ...containersReady, type: podConditions.ready };

  const problems: string[] = [];
  for (const { conditionType } of pod.spec?.readinessGates ?? []) {
    const gate = findPodCondition({ conditions }, conditionType);
    if (gate === undefined) problems.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (gate.status !== 'True') {
      problems.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`);
    }
  }
  const generation = pod.metadata?.generation;
  if (problems.length === 0) return podCondition(podConditions.ready, true, generation);
  return podCondition(podConditions.ready, false, generation, 'ReadinessGatesNotReady', problems.join(', '));
}

/**
 * Whether the API server's pod with readiness gates has a `Ready` condition that no longer matches its other conditions, so that it must be
 * synced.
 */
export function needToReconcilePodReadiness(pod: Pod): boolean {
  if (!pod.spec?.readinessGates?.length) return false;
  const { conditions = [], initContainerStatuses = [], containerStatuses, phase = '' } = pod.status ?? {};
  const shown = findPodCondition({ conditions }, podConditions.ready);
  if (shown === undefined) return false;
  const due = generatePodReadyCondition({
    pod,
    phase,
    conditions,
    containerStatuses: containerStatuses && [...initContainerStatuses, ...containerStatuses],
  });
  return shown.status !== due.status || (shown.message ?? '') !== (due.message ?? '');
}

/** `Ready` or `ContainersReady` of a terminated pod. */
export function terminalCondition(type: string, phase: string, generation: number | undefined): PodCondition {
  return podCondition(type, false, generation, phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed');
}

/** The names of the containers without a status, and of those that fail the check. */
export function sortOut(
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  passes: (container: Container, status: ContainerStatus) => boolean,
): { unknown: string[]; failing: string[] } {
  const sorted = { unknown: [] as string[], failing: [] as string[] };
  for (const container of containers) {
    const status = statuses.find(({ name }) => name === container.name);
    if (status === undefined) sorted.unknown.push(container.name);
    else if (!passes(container, status)) sorted.failing.push(container.name);
  }
  return sorted;
}

/** `containers with unknown status: [a b], containers with unready status: [c]`; empty if there are none. */
export function listContainers(unknown: readonly string[], failing: readonly string[], failingWord: string): string {
  const parts: string[] = [];
  if (unknown.length > 0) parts.push(`containers with unknown status: [${unknown.join(' ')}]`);
  if (failing.length > 0) parts.push(`containers with ${failingWord} status: [${failing.join(' ')}]`);
  return parts.join(', ');
}
