import { isObject } from '@nodeagent/api/helpers';
import { type FieldSchema, fieldSchema, type JsonObject } from './field-schema.js';
import type { FieldSet } from './field-set.js';
import { elementName, elementsByName, hasOwnedElements } from './list-elements.js';

/**
 * Merges an applied object into another: objects and lists whose elements have names are merged, everything else is replaced. Elements
 * are in the applied order; others keep their position among them.
 */
export function mergeApplied(live: unknown, applied: unknown, schema: FieldSchema | undefined): unknown {
  if (isObject(applied) && isObject(live) && !schema?.atomic) {
    const merged = { ...live };
    for (const [name, value] of Object.entries(applied)) merged[name] = mergeApplied(live[name], value, fieldSchema(schema, name));
    return merged;
  }
  if (Array.isArray(applied) && Array.isArray(live) && hasOwnedElements(schema)) return mergeLists(live, applied, schema);
  return applied;
}

function mergeLists(live: readonly unknown[], applied: readonly unknown[], schema: FieldSchema): unknown[] {
  const wanted = elementsByName(applied, schema);
  const present = elementsByName(live, schema);
  const rest = [...live];
  const merged: unknown[] = [];
  /** Elements before the next common element. */
  const takeUnapplied = () => {
    while (rest.length > 0 && !wanted.has(elementName(rest[0], schema) ?? '')) merged.push(rest.shift());
  };
  for (const [name, element] of wanted) {
    takeUnapplied();
    merged.push(mergeApplied(present.get(name), element, schema.items));
    const index = rest.findIndex((other) => elementName(other, schema) === name);
    if (index >= 0) rest.splice(index, 1);
  }
  takeUnapplied();
  return merged;
}

/**
 * Removes the fields that a manager applied previously and that have no owner any more. A field is removed with its content,
 * unless another manager owns a part.
 */
export function removeUnowned(value: unknown, last: FieldSet, owned: FieldSet, schema: FieldSchema | undefined): unknown {
  const keep = (name: string, part: unknown, partSchema: FieldSchema | undefined): [unknown] | undefined => {
    const lastPart = last.children.get(name);
    if (!lastPart) return [part];
    const ownedPart = owned.children.get(name);
    return ownedPart && [removeUnowned(part, lastPart, ownedPart, partSchema)];
  };
  if (Array.isArray(value) && hasOwnedElements(schema)) {
    return value.flatMap((element) => keep(elementName(element, schema) ?? '', element, schema.items) ?? []);
  }
  if (!isObject(value) || schema?.atomic) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const kept = keep(`f:${name}`, field, fieldSchema(schema, name));
      return kept ? [[name, kept[0]] as const] : [];
    }),
  );
}

/** The applied object without nulls, which mean that the field is not applied. */
export function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      if (field === null) return [];
      if (Array.isArray(field)) return [[name, field.map((element) => (isObject(element) ? withoutNulls(element) : element))] as const];
      return [[name, isObject(field) ? withoutNulls(field) : field] as const];
    }),
  );
}
