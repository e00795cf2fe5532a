import type { PodCondition } from '@nodeagent/api';
import { equalLists, equalScalars, isEmpty, isMap } from '../compare/equal-data.js';
import { equalTimes } from '../compare/equal-values.js';

/** The part of a strategic merge patch that is about a pod's status; null removes a field. */
export type StatusPatch = Record<string, unknown>;

/** Writes a field's change into the patch, if there is one. */
export type WritePatch<T> = (patch: StatusPatch, field: string, from: T | null | undefined, to: T | null | undefined) => void;

/** Compares two values of a field. */
export type Equal<T> = (a: T | null | undefined, b: T | null | undefined) => boolean;

/** Replaces the value as a whole. */
export function replace<T>(equal: Equal<T>): WritePatch<T> {
  return (patch, field, from, to) => {
    if (!equal(from, to)) patch[field] = isEmpty(to) ? null : to;
  };
}

/** Changes the entries of a map that differ. */
export function mergeMap<T extends object>(equal: Equal<T>): WritePatch<T> {
  return (patch, field, from, to) => {
    if (!equal(from, to)) patch[field] = mapPatch(from, to);
  };
}

/** Adds, changes and removes elements of a list, and writes their order. */
export function mergeList<K extends 'type' | 'ip', T extends { [key in K]?: string }>(
  key: K,
  elementPatch: (from: T, to: T) => object | undefined,
): WritePatch<readonly T[]> {
  const name = (element: T): string => element[key] ?? '';
  return (patch, field, from, to) => {
    if (!from?.length || !to?.length) {
      if (from?.length || to?.length) patch[field] = to?.length ? to : null;
      return;
    }
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
  };
}

/** The changed fields; null for removed ones. */
function mapPatch(from: unknown, to: unknown): object | null {
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
export function conditionPatch(from: PodCondition, to: PodCondition): object | undefined {
  const patch: Record<string, unknown> = {};
  for (const field of ['status', 'reason', 'message', 'observedGeneration'] as const) {
    if (!equalScalars(from[field], to[field])) patch[field] = to[field] || null;
  }
  for (const field of ['lastProbeTime', 'lastTransitionTime'] as const) {
    if (!equalTimes(from[field], to[field])) patch[field] = to[field] ?? null;
  }
  return Object.keys(patch).length > 0 ? patch : undefined;
}
