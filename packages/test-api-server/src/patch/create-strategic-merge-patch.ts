import { equalJson, isObject } from '@nodeagent/api/helpers';
import { type FieldSchema, fieldSchema, type JsonObject } from './field-schema.js';

type Json = Record<string, unknown>;

/**
 * The smallest strategic merge patch from `original` to `modified`, in the form that kubectl sends; `{}` if they are equal.
 * Elements of merged lists must have unique merge keys. Kubernetes documentation, "Update API Objects in Place Using
 * kubectl patch".
 */
export function createStrategicMergePatch(original: JsonObject, modified: JsonObject, schema?: FieldSchema): Json {
  const patch: Json = {};
  for (const name of new Set([...Object.keys(original), ...Object.keys(modified)])) {
    const [before, after] = [original[name], modified[name]];
    if (equalJson(before, after)) continue;
    if (after === undefined || after === null) patch[name] = null;
    else Object.assign(patch, patchField(name, before, after, fieldSchema(schema, name)));
  }
  if (schema?.retainKeys && Object.keys(patch).length > 0) patch.$retainKeys = Object.keys(modified).sort();
  return patch;
}

function patchField(name: string, before: unknown, after: unknown, schema: FieldSchema | undefined): Json {
  if (isObject(before) && isObject(after)) {
    return { [name]: schema?.replaced ? { $patch: 'replace', ...after } : createStrategicMergePatch(before, after, schema) };
  }
  if (!Array.isArray(before) || !Array.isArray(after) || schema?.mergeKey === undefined) return { [name]: after };
  return schema.mergeKey === '' ? patchPrimitives(name, before, after) : patchObjects(name, before, after, schema.mergeKey, schema.items);
}

function patchPrimitives(name: string, before: readonly unknown[], after: readonly unknown[]): Json {
  const removed = before.filter((element) => !after.includes(element));
  const added = after.filter((element) => !before.includes(element));
  return {
    [`$setElementOrder/${name}`]: after,
    ...(removed.length > 0 && { [`$deleteFromPrimitiveList/${name}`]: removed }),
    ...(added.length > 0 && { [name]: added }),
  };
}

function patchObjects(
  name: string,
  before: readonly Json[],
  after: readonly Json[],
  mergeKey: string,
  items: FieldSchema | undefined,
): Json {
  const find = (list: readonly Json[], element: Json) => list.find((other) => equalJson(other[mergeKey], element[mergeKey]));
  const changes = after.flatMap((element) => {
    const present = find(before, element);
    if (!present) return [element];
    const change = createStrategicMergePatch(present, element, items);
    return Object.keys(change).length > 0 ? [{ ...change, [mergeKey]: element[mergeKey] }] : [];
  });
  const deletions = before
    .filter((element) => !find(after, element))
    .map((element) => ({ $patch: 'delete', [mergeKey]: element[mergeKey] }));
  return {
    [`$setElementOrder/${name}`]: after.map((element) => ({ [mergeKey]: element[mergeKey] })),
    ...(changes.length + deletions.length > 0 && { [name]: [...changes, ...deletions] }),
  };
}
