import { isObject } from '@nodeagent/api/helpers';
import type { FieldSchema } from './field-schema.js';

/** Whether the elements of the list have separate owners in server-side apply. */
export function hasOwnedElements(schema: FieldSchema | undefined): schema is FieldSchema {
  return schema !== undefined && !schema.atomic && (schema.set === true || schema.keys !== undefined);
}

/**
 * How `managedFields` names an element of such a list: `v:<value>` in a set, `k:<keys>` in a list with keys. Undefined for an element
 * that has none of the keys.
 */
export function elementName(element: unknown, schema: FieldSchema): string | undefined {
  if (!schema.keys) return `v:${JSON.stringify(element)}`;
  let text = '';
  for (const { key, name } of keysInOrder(schema.keys)) {
    const value = (isObject(element) ? element[key] : undefined) ?? schema.keyDefaults?.[key];
    if (value !== undefined) text += `${text && ','}${name}:${JSON.stringify(value)}`;
  }
  return text === '' ? undefined : `k:{${text}}`;
}

interface NamedKey {
  key: string;
  /** The key as JSON. */
  name: string;
}

const ordered = new WeakMap<readonly string[], readonly NamedKey[]>();

function keysInOrder(keys: readonly string[]): readonly NamedKey[] {
  const known = ordered.get(keys);
  if (known) return known;
  const sorted = [...keys].sort().map((key) => ({ key, name: JSON.stringify(key) }));
  ordered.set(keys, sorted);
  return sorted;
}

/** The elements by name; of duplicates, which the API allows in a few lists, the first. */
export function elementsByName(list: readonly unknown[], schema: FieldSchema): Map<string, unknown> {
  const elements = new Map<string, unknown>();
  for (const element of list) {
    const name = elementName(element, schema);
    if (name !== undefined && !elements.has(name)) elements.set(name, element);
  }
  return elements;
}
