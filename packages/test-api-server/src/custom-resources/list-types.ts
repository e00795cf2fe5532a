import { isObject } from '@nodeagent/api/helpers';
import type { KindFieldProblem } from '../kinds/kind-rules.js';
import type { Schema } from './schema.js';

/** JSON with sorted names, so that equal values have the same text. */
function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, each) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1))) : each,
  );
}

/** The names and values of the keys of an element of a list of type `map`. */
function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.flatMap((key) => (isObject(item) && item[key] !== undefined ? [[key, item[key]]] : [])));
}

/** Duplicates in lists of type `set` and `map`. */
export function listTypeProblems(list: readonly unknown[], schema: Schema, field: string): KindFieldProblem[] {
  const identity = identityOf(schema);
  if (identity === undefined) return [];
  const seen = new Set<string>();
  const problems: KindFieldProblem[] = [];
  for (const [index, item] of list.entries()) {
    const value = identity(item);
    const text = canonicalText(value);
    if (seen.has(text)) problems.push({ field: `${field}[${index}]`, problem: `Duplicate value: ${text}` });
    seen.add(text);
  }
  return problems;
}

function identityOf(schema: Schema): ((item: unknown) => unknown) | undefined {
  if (schema['x-kubernetes-list-type'] === 'set') return (item) => item;
  const keys = schema['x-kubernetes-list-map-keys'];
  return schema['x-kubernetes-list-type'] === 'map' && keys ? (item) => keysOf(item, keys) : undefined;
}

/** Finds the previous element with the same keys; only lists of type `map` have such. */
export function oldElements(old: unknown, schema: Schema): (item: unknown) => unknown {
  const identity = schema['x-kubernetes-list-type'] === 'map' ? identityOf(schema) : undefined;
  if (!identity || !Array.isArray(old)) return () => undefined;
  const byKeys = new Map(old.map((item) => [canonicalText(identity(item)), item as unknown]));
  return (item) => byKeys.get(canonicalText(identity(item)));
}
