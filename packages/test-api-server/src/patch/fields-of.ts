import { equalJson, isObject } from '@nodeagent/api/helpers';
import { type FieldSchema, fieldSchema, type JsonObject } from './field-schema.js';
import { type FieldSet, isEmptySet, noFields, wholeField } from './field-set.js';
import { elementsByName, hasOwnedElements } from './list-elements.js';
import { type BranchPrefix, emptySet, type SharedSet } from './shared-sets.js';

/** The fields of an object, each with separate owners. */
function ownedFields(value: unknown, schema: FieldSchema | undefined): JsonObject | undefined {
  return isObject(value) && !schema?.atomic ? value : undefined;
}

/** The elements of a list, each with separate owners, by their names in `managedFields`. */
function ownedElements(value: unknown, schema: FieldSchema | undefined): Map<string, unknown> | undefined {
  return Array.isArray(value) && hasOwnedElements(schema) ? elementsByName(value, schema) : undefined;
}

/**
 * The fields that an apply takes ownership of: scalars, atomic values, each element of a list, and objects that
 * are empty. Kubernetes documentation, "Server-Side Apply".
 */
export function appliedFields(value: unknown, schema: FieldSchema | undefined): FieldSet {
  const children = new Map<string, FieldSet>();
  const fields = ownedFields(value, schema);
  if (fields) {
    for (const [name, field] of Object.entries(fields)) {
      const within = appliedFields(field, fieldSchema(schema, name));
      const child = isObject(field) && Object.keys(field).length === 0 ? { ...within, member: true } : within;
      if (!isEmptySet(child)) children.set(`f:${name}`, child);
    }
    return { member: false, children };
  }
  const elements = ownedElements(value, schema);
  if (!elements) return wholeField;
  for (const [name, element] of elements) children.set(name, { ...appliedFields(element, schema?.items), member: true });
  return { member: false, children };
}

/** A value and everything in it. */
function allFields(value: unknown, schema: FieldSchema | undefined): FieldSet {
  const fields = ownedFields(value, schema);
  if (fields) {
    const empty = emptySet('f:');
    let all = empty;
    for (const name in fields) all = all.with(name, allFields(fields[name], fieldSchema(schema, name)));
    return all === empty ? wholeField : all.done(true);
  }
  const elements = ownedElements(value, schema);
  if (!elements?.size) return wholeField;
  let all = emptySet('');
  for (const [name, element] of elements) all = all.with(name, allFields(element, schema?.items));
  return all.done(true);
}

/** The changes of a write. */
export interface FieldChanges {
  /** Fields that were added or changed. */
  set: FieldSet;
  removed: FieldSet;
}

const noChange: FieldChanges = { set: noFields, removed: noFields };

/** The changes of the parts of a value; most have none. */
class ChangedParts {
  readonly #prefix: BranchPrefix;
  #set: SharedSet | undefined;
  #removed: SharedSet | undefined;

  constructor(prefix: BranchPrefix) {
    this.#prefix = prefix;
  }

  add(name: string, { set, removed }: FieldChanges): void {
    if (!isEmptySet(set)) this.#set = (this.#set ?? emptySet(this.#prefix)).with(name, set);
    if (!isEmptySet(removed)) this.#removed = (this.#removed ?? emptySet(this.#prefix)).with(name, removed);
  }

  all(): FieldChanges {
    if (!this.#set && !this.#removed) return noChange;
    return { set: this.#set?.done(false) ?? noFields, removed: this.#removed?.done(false) ?? noFields };
  }
}

/** The difference of two values; ignores the order of list elements with names. */
export function changedFields(before: unknown, after: unknown, schema: FieldSchema | undefined): FieldChanges {
  if (before === after) return noChange;
  if (before === undefined) return { set: allFields(after, schema), removed: noFields };
  if (after === undefined) return { set: noFields, removed: allFields(before, schema) };
  const [oldFields, newFields] = [ownedFields(before, schema), ownedFields(after, schema)];
  if (oldFields && newFields) {
    const changes = new ChangedParts('f:');
    for (const name in oldFields) {
      const remaining = Object.hasOwn(newFields, name) ? newFields[name] : undefined;
      changes.add(name, changedFields(oldFields[name], remaining, fieldSchema(schema, name)));
    }
    for (const name in newFields) {
      if (!Object.hasOwn(oldFields, name)) changes.add(name, changedFields(undefined, newFields[name], fieldSchema(schema, name)));
    }
    return changes.all();
  }
  const [oldElements, newElements] = [ownedElements(before, schema), ownedElements(after, schema)];
  if (!oldElements || !newElements) return equalJson(before, after) ? noChange : { set: wholeField, removed: noFields };
  const changes = new ChangedParts('');
  for (const [name, element] of oldElements) changes.add(name, changedFields(element, newElements.get(name), schema?.items));
  for (const [name, element] of newElements) {
    if (!oldElements.has(name)) changes.add(name, changedFields(undefined, element, schema?.items));
  }
  return changes.all();
}
