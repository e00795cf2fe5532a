import { isObject } from '@nodeagent/api/helpers';
import { ageOf } from '../format-age.js';
import type { JsonObject } from '../json-object.js';

/** The value of an API object at a path of field names, such as `status.phase`; undefined if absent. */
export function at(object: unknown, path: string): unknown {
  return path.split('.').reduce((value, name) => (isObject(value) ? value[name] : undefined), object);
}

/** The text or number at a path; the fallback if it is absent or empty. */
export function text(object: unknown, path: string, fallback = ''): string {
  const value = at(object, path);
  return (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : fallback;
}

/** The number at a path; 0 if there is none. */
export function count(object: unknown, path: string): number {
  const value = at(object, path);
  return typeof value === 'number' ? value : 0;
}

/** The objects of the list at a path. */
export function list(object: unknown, path: string): JsonObject[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The texts of the list at a path. */
export function texts(object: unknown, path: string): string[] {
  const value = at(object, path);
  return Array.isArray(value) ? value.map(String) : [];
}

/** Number of fields of the object at a path. */
export function size(object: unknown, path: string): number {
  const value = at(object, path);
  return isObject(value) ? Object.keys(value).length : 0;
}

export function joined(values: readonly string[], fallback = '<none>'): string {
  return values.length > 0 ? values.join(',') : fallback;
}

/** The first three values, and the number of further ones. */
export function firstThree(values: readonly string[], fallback: string): string {
  return values.length > 3 ? `${values.slice(0, 3).join(',')} + ${values.length - 3} more...` : joined(values, fallback);
}

/** Whether the object has this annotation with the value `true`. */
export function isAnnotated(object: unknown, annotation: string): boolean {
  const annotations = at(object, 'metadata.annotations');
  return isObject(annotations) && annotations[annotation] === 'true';
}

/** The age of the time at a path, as kubectl prints it. */
export function since(object: unknown, path: string, now: number, fallback = '<unknown>'): string {
  return ageOf(text(object, path), now) ?? fallback;
}

/** Labels in the order of their texts, in which `app.kubernetes.io/name=a` precedes `app=a`. */
export function labelsText(labels: unknown): string {
  return joined(
    Object.entries(isObject(labels) ? labels : {})
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  );
}

/** A requirement of a selector; undefined if the API does not accept it. */
function requirementText(key: string, operator: string, values: readonly string[]): string | undefined {
  if ((operator === 'In' || operator === 'NotIn') && values.length > 0) return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  if (values.length > 0) return undefined;
  return operator === 'Exists' ? key : operator === 'DoesNotExist' ? `!${key}` : undefined;
}

/** A label selector in the format of kubectl's command line; `empty` if it has no requirements, `invalid` if one is wrong. */
export function selectorText(selector: unknown, empty = '<none>', invalid = '<error>'): string {
  const labels = Object.entries(at(selector, 'matchLabels') ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  const expressions = list(selector, 'matchExpressions').map((expression) => {
    const key = text(expression, 'key');
    return { key, text: requirementText(key, text(expression, 'operator'), texts(expression, 'values').sort()) };
  });
  const parts = [...labels, ...expressions].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map((part) => part.text);
  const isValid = (part: string | undefined) => part !== undefined;
  return parts.every(isValid) ? joined(parts, empty) : invalid;
}

/** Whether the object has the condition with status True. */
export function hasCondition(object: unknown, type: string): boolean {
  return list(object, 'status.conditions').some((condition) => condition.type === type && condition.status === 'True');
}

export const isTrue = (object: unknown, path: string): boolean => at(object, path) === true;
