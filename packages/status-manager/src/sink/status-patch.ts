import { type ContainerStatus, type PodCondition, type PodStatus, parseTime, type Time } from '@nodeagent/api';
import { equalContainers, equalRequirements, equalResources } from '../compare/equal.js';
import { equalLists, isMap } from '../compare/equal-data.js';

/** The part of a strategic merge patch that is about a pod's status; null removes a field. */
export type StatusPatch = Record<string, unknown>;

/**
 * The strategic merge patch from one status to the other, or undefined if they are equal. It compares only the fields that a kubelet writes:
 * other fields, also those of a newer API server, are kept. Source: Kubernetes API conventions, "Strategic merge
 * patch"; the merge keys of the Pod API: conditions by `type`, addresses by `ip`, lists of containers as a whole.
 */
export function statusPatch(from: PodStatus, to: PodStatus): StatusPatch | undefined {
  const patch: StatusPatch = {};
  for (const field of ['phase', 'reason', 'message', 'hostIP', 'podIP', 'qosClass', 'observedGeneration'] as const) {
    if (!isSameValue(from[field], to[field])) patch[field] = to[field] || null;
  }
  if (!isSameTime(from.startTime, to.startTime)) patch.startTime = to.startTime ?? null;
  for (const field of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'] as const) {
    if (!equalLists<ContainerStatus>(from[field], to[field], equalContainers)) patch[field] = to[field]?.length ? to[field] : null;
  }
  if (!equalRequirements(from.resources, to.resources)) patch.resources = mapPatch(from.resources, to.resources);
  if (!equalResources(from.allocatedResources, to.allocatedResources)) {
    patch.allocatedResources = mapPatch(from.allocatedResources, to.allocatedResources);
  }
  listPatch(patch, 'conditions', 'type', from.conditions, to.conditions, conditionPatch);
  for (const field of ['hostIPs', 'podIPs'] as const) listPatch(patch, field, 'ip', from[field], to[field], () => undefined);
  return Object.keys(patch).length > 0 ? patch : undefined;
}

const isSameValue = (a: unknown, b: unknown) => (a || undefined) === (b || undefined);

function isSameTime(a: Time | null | undefined, b: Time | null | undefined): boolean {
  return isSameValue(a, b) || (!!a && !!b && parseTime(a) !== undefined && parseTime(a) === parseTime(b));
}

/** The changed fields; null for removed ones. */
function mapPatch(from: object | undefined, to: object | undefined): object | null {
  if (!isMap(to)) return null;
  if (!isMap(from)) return to;
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(from)) if (to[key] === undefined) patch[key] = null;
  for (const [key, value] of Object.entries(to)) {
    const old = from[key];
    if (isMap(value) && isMap(old)) {
      const changed = mapPatch(old, value);
      if (changed && Object.keys(changed).length > 0) patch[key] = changed;
    } else if (value !== old) patch[key] = value;
  }
  return patch;
}

/** The condition's fields that differ, without its type. */
function conditionPatch(from: PodCondition, to: PodCondition): object | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of ['status', 'reason', 'message', 'observedGeneration'] as const) {
    if (!isSameValue(from[field], to[field])) patch[field] = to[field] || null;
  }
  for (const field of ['lastProbeTime', 'lastTransitionTime'] as const) {
    if (!isSameTime(from[field], to[field])) patch[field] = to[field] ?? null;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}

/** Adds new, changed and removed elements and the order of all elements to the patch, unless the lists are equal. */
function listPatch<K extends 'type' | 'ip', T extends { [key in K]?: string }>(
  patch: StatusPatch,
  field: string,
  key: K,
  from: readonly T[] | null | undefined,
  to: readonly T[] | null | undefined,
  elementPatch: (from: T, to: T) => object | undefined,
): void {
  if (!to?.length) {
    if (from?.length) patch[field] = null;
    return;
  }
  if (!from?.length) {
    patch[field] = to;
    return;
  }
  const name = (element: T): string => element[key] ?? '';
  const old = new Map(from.map((element) => [name(element), element]));
  const kept = new Set(to.map(name));
  const changes: object[] = [];
  for (const element of to) {
    const before = old.get(name(element));
    const change = before === undefined ? element : elementPatch(before, element);
    if (change) changes.push({ ...change, [key]: name(element) });
  }
  for (const removed of old.keys()) if (!kept.has(removed)) changes.push({ $patch: 'delete', [key]: removed });
  if (changes.length > 0) patch[field] = changes;
  if (changes.length > 0 || !equalLists(from.map(name), to.map(name), (a, b) => a === b)) {
    patch[`$setElementOrder/${field}`] = to.map((element) => ({ [key]: name(element) }));
  }
}
