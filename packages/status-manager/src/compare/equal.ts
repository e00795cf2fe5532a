import {
  type ContainerState,
  type ContainerStatus,
  type PodCondition,
  type PodStatus,
  parseTime,
  Quantity,
  type ResourceList,
  type ResourceRequirements,
  type Time,
} from '@nodeagent/api';
import { isKubeletCondition, isSharedCondition } from '../conditions.js';
import { equalData, equalLists, isEmpty } from './equal-data.js';

/**
 * Whether two statuses are equal by the kubelet's rules. It ignores conditions of other writers, the times and generations of the kubelet's
 * conditions, and the statuses of resource claims. It compares quantities by value and times by instant; an empty string, list or map
 * equals an absent one. A pointer field of the API (`started`, `resources`, a container's state) must be present in both or in neither.
 */
export function equalByKubelet(a: PodStatus, b: PodStatus): boolean {
  return (
    a === b ||
    (a.phase === b.phase &&
      (a.observedGeneration ?? 0) === (b.observedGeneration ?? 0) &&
      equalLists(a.containerStatuses, b.containerStatuses, equalContainers) &&
      equalLists(a.initContainerStatuses, b.initContainerStatuses, equalContainers) &&
      equalLists(a.ephemeralContainerStatuses, b.ephemeralContainerStatuses, equalContainers) &&
      equalConditions(a.conditions, b.conditions) &&
      equalTexts(a, b, podTexts) &&
      equalTimes(a.startTime, b.startTime) &&
      equalLists(a.hostIPs, b.hostIPs, equalData) &&
      equalLists(a.podIPs, b.podIPs, equalData) &&
      equalRequirements(a.resources, b.resources) &&
      equalResources(a.allocatedResources, b.allocatedResources))
  );
}

const podTexts = ['phase', 'message', 'reason', 'nominatedNodeName', 'hostIP', 'podIP', 'qosClass', 'resize'] as const;
const containerTexts = ['name', 'image', 'imageID', 'containerID'] as const;

function equalTexts<K extends string>(a: { [key in K]?: string }, b: { [key in K]?: string }, keys: readonly K[]): boolean {
  for (const key of keys) if ((a[key] ?? '') !== (b[key] ?? '')) return false;
  return true;
}

function equalConditions(a: readonly PodCondition[] | null = [], b: readonly PodCondition[] | null = []): boolean {
  return a === b || (covers(a ?? [], b ?? []) && covers(b ?? [], a ?? []));
}

/** Whether `a` has an equal condition for each of the kubelet's conditions in `b`; if a type repeats, the last one counts. */
function covers(a: readonly PodCondition[], b: readonly PodCondition[]): boolean {
  return b.every(({ type }) => {
    if (!isKubeletCondition(type) && !isSharedCondition(type)) return true;
    const ours = a.findLast((condition) => condition.type === type);
    const its = b.findLast((condition) => condition.type === type);
    return ours !== undefined && its !== undefined && equalTexts(ours, its, ['status', 'reason', 'message']);
  });
}

export function equalContainers(a: ContainerStatus, b: ContainerStatus): boolean {
  return (
    a === b ||
    (a.ready === b.ready &&
      a.restartCount === b.restartCount &&
      equalTexts(a, b, containerTexts) &&
      (a.started ?? null) === (b.started ?? null) &&
      equalStates(a.state, b.state) &&
      equalStates(a.lastState, b.lastState) &&
      equalRequirements(a.resources, b.resources) &&
      equalResources(a.allocatedResources, b.allocatedResources) &&
      equalLists(a.volumeMounts, b.volumeMounts, equalData) &&
      equalData(a.user, b.user) &&
      equalLists(a.allocatedResourcesStatus, b.allocatedResourcesStatus, equalData) &&
      (a.stopSignal ?? null) === (b.stopSignal ?? null))
  );
}

function equalStates(a: ContainerState = {}, b: ContainerState = {}): boolean {
  if (a === b) return true;
  return (
    equalPointers(a.waiting, b.waiting, (x, y) => equalTexts(x, y, ['reason', 'message'])) &&
    equalPointers(a.running, b.running, (x, y) => equalTimes(x.startedAt, y.startedAt)) &&
    equalPointers(
      a.terminated,
      b.terminated,
      (x, y) =>
        x.exitCode === y.exitCode &&
        (x.signal ?? 0) === (y.signal ?? 0) &&
        equalTexts(x, y, ['reason', 'message', 'containerID']) &&
        equalTimes(x.startedAt, y.startedAt) &&
        equalTimes(x.finishedAt, y.finishedAt),
    )
  );
}

/** Both present and equal, or both absent. */
function equalPointers<T>(a: T | null | undefined, b: T | null | undefined, equal: (a: T, b: T) => boolean): boolean {
  if (a === b) return true;
  return a ? !!b && equal(a, b) : !b;
}

function equalTimes(a: Time | null | undefined, b: Time | null | undefined): boolean {
  return (a ?? null) === (b ?? null) || (!!a && !!b && parseTime(a) !== undefined && parseTime(a) === parseTime(b));
}

export function equalRequirements(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  return equalPointers(
    a,
    b,
    (x, y) => equalResources(x.requests, y.requests) && equalResources(x.limits, y.limits) && equalLists(x.claims, y.claims, equalData),
  );
}

export function equalResources(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (!a || !b) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => equalQuantities(a[name], b[name]));
}

function equalQuantities(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && Quantity.parse(a).equals(Quantity.parse(b));
}
