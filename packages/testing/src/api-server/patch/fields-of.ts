import { isObject } from '@nodeagent/api';
import { equalJson, type FieldSchema, fieldSchema } from './field-schema.js';
import { type FieldSet, isEmptySet, noFields, wholeField } from './field-set.js';
import { elementsByName, hasOwnedElements } from './list-elements.js';

/** The parts of a value that have owners of their own, by their names in `managedFields`; undefined for what has one owner. */
function partsOf(
  value: unknown,
  schema: FieldSchema | undefined,
): Map<string, [part: unknown, schema: FieldSchema | undefined]> | undefined {
  if (Array.isArray(value)) {
    if (!hasOwnedElements(schema)) return undefined;
    return new Map(Array.from(elementsByName(value, schema), ([name, element]) => [name, [element, schema.items]]));
  }
  if (!isObject(value) || schema?.atomic) return undefined;
  return new Map(Object.entries(value).map(([name, field]) => [`f:${name}`, [field, fieldSchema(schema, name)]]));
}

/**
 * The fields that applying an object takes ownership of: its scalars, what is owned as a whole, each element of a list, and objects that
 * are empty. Kubernetes documentation, "Server-Side Apply".
 */
export function appliedFields(value: unknown, schema: FieldSchema | undefined): FieldSet {
  const parts = partsOf(value, schema);
  if (!parts) return wholeField;
  const children = new Map<string, FieldSet>();
  for (const [name, [part, partSchema]] of parts) {
    const fields = appliedFields(part, partSchema);
    const isMember = fields.member || !name.startsWith('f:') || (isObject(part) && Object.keys(part).length === 0);
    const child = { ...fields, member: isMember };
    if (!isEmptySet(child)) children.set(name, child);
  }
  return { member: false, children };
}

/** A value and everything in it. */
function allFields(value: unknown, schema: FieldSchema | undefined): FieldSet {
  const parts = partsOf(value, schema) ?? [];
  return { member: true, children: new Map(Array.from(parts, ([name, [part, partSchema]]) => [name, allFields(part, partSchema)])) };
}

/** What a write did to an object. */
export interface FieldChanges {
  /** Fields that were not there, or had another value. */
  set: FieldSet;
  removed: FieldSet;
}

const noChange: FieldChanges = { set: noFields, removed: noFields };

/** How two states of a value differ; the order of elements that have names does not matter. */
export function changedFields(before: unknown, after: unknown, schema: FieldSchema | undefined): FieldChanges {
  if (before === after) return noChange;
  if (before === undefined) return { set: allFields(after, schema), removed: noFields };
  if (after === undefined) return { set: noFields, removed: allFields(before, schema) };
  const [old, young] = [partsOf(before, schema), partsOf(after, schema)];
  if (!old || !young || Array.isArray(before) !== Array.isArray(after)) {
    return equalJson(before, after) ? noChange : { set: wholeField, removed: noFields };
  }
  const [set, removed] = [new Map<string, FieldSet>(), new Map<string, FieldSet>()];
  for (const name of new Set([...old.keys(), ...young.keys()])) {
    const [oldPart, oldSchema] = old.get(name) ?? [];
    const [youngPart, youngSchema] = young.get(name) ?? [];
    const changes = changedFields(oldPart, youngPart, oldSchema ?? youngSchema);
    if (!isEmptySet(changes.set)) set.set(name, changes.set);
    if (!isEmptySet(changes.removed)) removed.set(name, changes.removed);
  }
  return { set: { member: false, children: set }, removed: { member: false, children: removed } };
}
