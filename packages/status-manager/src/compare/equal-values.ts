import type { ContainerState, ContainerStatus, PodCondition, ResourceList, ResourceRequirements, Time } from '@nodeagent/api';
import { parseTime, Quantity } from '@nodeagent/api/helpers';
import { isKubeletCondition, isSharedCondition } from '../conditions.js';
import { equalData, equalLists, equalScalars, isEmpty } from './equal-data.js';

const containerTexts = ['name', 'image', 'imageID', 'containerID'] as const;

function equalTexts<K extends string>(a: { [key in K]?: string }, b: { [key in K]?: string }, keys: readonly K[]): boolean {
  return keys.every((key) => equalScalars(a[key], b[key]));
}

/** Whether the kubelet's conditions are equal, without their times and generations. */
export function equalConditions(a: readonly PodCondition[] | null = [], b: readonly PodCondition[] | null = []): boolean {
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

/** Whether two times are the same instant, or both absent. */
export function equalTimes(a: Time | null | undefined, b: Time | null | undefined): boolean {
  return equalScalars(a, b) || (!!a && !!b && parseTime(a) !== undefined && parseTime(a) === parseTime(b));
}

export function equalRequirements(a: ResourceRequirements | null | undefined, b: ResourceRequirements | null | undefined): boolean {
  return equalPointers(
    a,
    b,
    (x, y) => equalResources(x.requests, y.requests) && equalResources(x.limits, y.limits) && equalLists(x.claims, y.claims, equalData),
  );
}

export function equalResources(a: ResourceList | null | undefined, b: ResourceList | null | undefined): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (!a || !b) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => equalQuantities(a[name], b[name]));
}

function equalQuantities(a: string | undefined, b: string | undefined): boolean {
  if (a === b) return true;
  return a !== undefined && b !== undefined && Quantity.parse(a).equals(Quantity.parse(b));
}
