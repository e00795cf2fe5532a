import type { PodStatus } from '@nodeagent/api';
import { isMap } from '../compare/equal-data.js';
import { fieldRules } from '../field-rules.js';
import type { StatusPatch } from './patch-values.js';

/** Lists of a pod's status that are merged element by element, with the field that names an element. */
const mergeKeys: ReadonlyMap<string, string> = new Map(
  Object.entries(fieldRules).flatMap(([field, { mergeKey }]) => (mergeKey === undefined ? [] : [[field, mergeKey]])),
);

/** Applies a strategic merge patch of {@link statusPatch} to a status, as an API server does. For tests and simulations. */
export function applyStatusPatch(status: PodStatus, patch: StatusPatch): PodStatus {
  return mergeMaps(status as Record<string, unknown>, patch) as PodStatus;
}

function mergeMaps(map: Readonly<Record<string, unknown>>, patch: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const merged = { ...map };
  for (const [field, value] of Object.entries(patch)) {
    if (field.startsWith('$')) continue;
    const mergeKey = mergeKeys.get(field);
    const old = merged[field];
    if (value === null) delete merged[field];
    else if (mergeKey !== undefined)
      merged[field] = mergeLists(asMaps(old), asMaps(value), mergeKey, asMaps(patch[`$setElementOrder/${field}`]));
    else merged[field] = isMap(value) && isMap(old) ? mergeMaps(old, value) : value;
  }
  for (const [field, mergeKey] of mergeKeys) {
    const order = patch[`$setElementOrder/${field}`];
    if (order !== undefined && patch[field] === undefined) merged[field] = inOrder(asMaps(merged[field]), mergeKey, asMaps(order));
  }
  return merged;
}

type Element = Record<string, unknown>;

const asMaps = (value: unknown): Element[] => (Array.isArray(value) ? value.filter(isMap) : []);

function mergeLists(list: readonly Element[], changes: readonly Element[], key: string, order: readonly Element[]): Element[] {
  let merged = [...list];
  for (const { $patch, ...change } of changes) {
    const index = merged.findIndex((element) => element[key] === change[key]);
    if ($patch === 'delete') merged = merged.filter((element) => element[key] !== change[key]);
    else if (index < 0) merged.push(change);
    else merged[index] = mergeMaps(merged[index] ?? {}, change);
  }
  return inOrder(merged, key, order);
}

/** The elements in the requested order; elements without a position come last. */
function inOrder(list: readonly Element[], key: string, order: readonly Element[]): Element[] {
  const rank = new Map(order.map((element, index) => [element[key], index]));
  return [...list].sort((a, b) => (rank.get(a[key]) ?? rank.size) - (rank.get(b[key]) ?? rank.size));
}
