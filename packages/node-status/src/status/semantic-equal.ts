import type { NodeCondition, NodeStatus } from '@nodeagent/api';
import { isObject, Quantity } from '@nodeagent/api/helpers';

/**
 * Whether the status changed, ignoring heartbeats and the order of conditions. Quantities are compared by value, and an absent field equals
 * an empty one.
 */
export function nodeStatusChanged(before: NodeStatus | undefined, after: NodeStatus | undefined): boolean {
  const { conditions: oldConditions, ...old } = before ?? {};
  const { conditions: newConditions, ...current } = after ?? {};
  return !sameData(withoutHeartbeats(oldConditions), withoutHeartbeats(newConditions)) || !sameData(old, current);
}

function withoutHeartbeats(conditions: readonly NodeCondition[] | null | undefined) {
  return (conditions ?? [])
    .map(({ lastHeartbeatTime, ...condition }) => condition)
    .sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : 0));
}

const resourceLists = new Set(['capacity', 'allocatable']);

/** Semantic equality of JSON values in the API. */
function sameData(a: unknown, b: unknown, key?: string): boolean {
  if (a === b || (isEmpty(a) && isEmpty(b))) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => sameData(item, b[index]));
  if (isObject(a) || isObject(b)) {
    if ((!isObject(a) && !isEmpty(a)) || (!isObject(b) && !isEmpty(b))) return false;
    const [left, right] = [isObject(a) ? a : {}, isObject(b) ? b : {}];
    const same = key !== undefined && resourceLists.has(key) ? sameAmount : sameData;
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((name) => same(left[name], right[name], name));
  }
  return false;
}

/** A quantity of 0 differs from an absent one. */
function sameAmount(a: unknown, b: unknown): boolean {
  return typeof a === 'string' && typeof b === 'string' && sameQuantity(a, b);
}

/** Whether two quantities have the same value. */
export function sameQuantity(a: string, b: string): boolean {
  return a === b || Quantity.parse(a).equals(Quantity.parse(b));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}
