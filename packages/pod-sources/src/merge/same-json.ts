import { isObject } from '@nodeagent/api/helpers';

/**
 * Whether two JSON values of the API are equal. An absent field, null and an empty text are equal; an absent field differs from an empty
 * map or list, 0 and false.
 */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b || (isAbsent(a) && isAbsent(b))) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((entry, index) => isSameJson(entry, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  return (
    Object.keys(a).every((key) => isSameJson(a[key], b[key])) && Object.keys(b).every((key) => Object.hasOwn(a, key) || isAbsent(b[key]))
  );
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
