import { equalJson, isObject } from '@nodeagent/api/helpers';
import { type FieldSchema, fieldSchema, type JsonObject } from './field-schema.js';
import { orderElements } from './order-elements.js';
import { badRequest, internalError, unprocessable } from './refusals.js';

const deletePrefix = '$deleteFromPrimitiveList/';
const orderPrefix = '$setElementOrder/';

type Json = Record<string, unknown>;

/**
 * Applies a strategic merge patch: objects are merged, null removes a field, lists are merged by their merge key if the schema has one and
 * replaced elsewhere; with the directives `$patch`, `$retainKeys`, `$deleteFromPrimitiveList/...` and `$setElementOrder/...`. The given
 * object is not changed. Throws the API server's errors. Kubernetes documentation, "Update API Objects in Place Using kubectl patch".
 */
export function strategicMergePatch(original: JsonObject, patch: JsonObject, schema?: FieldSchema): Json {
  if (patch.$patch !== undefined) return applyDirective(original, patch, schema);
  const merged = keepRetained({ ...original }, patch);
  for (const [name, value] of Object.entries(patch)) {
    if (name === '$retainKeys' || name.startsWith(orderPrefix)) continue;
    if (name.startsWith(deletePrefix)) deletePrimitives(merged, name.slice(deletePrefix.length), value);
    else if (value === null || (merged[name] === undefined && isDirective(value))) delete merged[name];
    else merged[name] = mergeValue(merged[name], value, fieldSchema(schema, name), patch[`${orderPrefix}${name}`]);
  }
  orderUnpatched(merged, original, patch, schema);
  return merged;
}

/** Whether the object is a directive, which has no effect without a target. */
const isDirective = (value: unknown): boolean => isObject(value) && value.$patch !== undefined;

/** The directive `$patch` of an object: delete it, or replace it by the patch. */
function applyDirective(original: JsonObject, { $patch, ...rest }: JsonObject, schema?: FieldSchema): Json {
  if ($patch === 'delete') return {};
  if ($patch === 'replace') return rest;
  if ($patch === 'merge') return strategicMergePatch(original, rest, schema);
  throw unknownDirective($patch);
}

function unknownDirective(directive: unknown) {
  return internalError(`unknown patch type: ${typeof directive === 'string' ? directive : JSON.stringify(directive)}`);
}

function keepRetained(merged: Json, { $retainKeys, ...patch }: JsonObject): Json {
  if ($retainKeys === undefined) return merged;
  if (!Array.isArray($retainKeys)) throw badRequest('invalid patch format of retainKeys');
  const stray = Object.keys(patch).some((name) => !name.startsWith('$') && patch[name] !== null && !$retainKeys.includes(name));
  if (stray) throw internalError("patch content doesn't match retainKeys list");
  return Object.fromEntries(Object.entries(merged).filter(([name]) => $retainKeys.includes(name)));
}

function deletePrimitives(merged: Json, name: string, values: unknown): void {
  if (!Array.isArray(values)) throw badRequest('invalid patch format of primitive list');
  const list = merged[name];
  if (Array.isArray(list)) merged[name] = list.filter((element) => !values.includes(element));
}

function mergeValue(original: unknown, patch: unknown, schema: FieldSchema | undefined, order: unknown): unknown {
  if (isObject(patch)) {
    return strategicMergePatch(isObject(original) && !schema?.replaced ? original : {}, patch, schema);
  }
  if (!Array.isArray(patch) || schema?.mergeKey === undefined) return patch;
  const { mergeKey } = schema;
  const list = Array.isArray(original) ? original : [];
  if (patch.some(Array.isArray) || list.some(Array.isArray)) throw unprocessable();
  const wanted = order === undefined ? patch : checkOrder(order, patch, mergeKey);
  const merged = mergeKey === '' ? mergePrimitives(list, patch) : mergeObjects(list, patch, mergeKey, schema.items);
  const isReplaced = patch.some((element) => isObject(element) && element.$patch === 'replace');
  if (isReplaced) return merged;
  return orderElements(merged, wanted, list, mergeKey);
}

function mergePrimitives(original: readonly unknown[], patch: readonly unknown[]): unknown[] {
  return [...new Set([...original, ...patch])];
}

function mergeObjects(original: readonly unknown[], patch: readonly unknown[], mergeKey: string, items?: FieldSchema): unknown[] {
  const elements = patch.map((element) => {
    if (!isObject(element)) throw internalError('expected a map in a list that is merged by key');
    return element;
  });
  const isReplaced = elements.some(({ $patch }) => $patch === 'replace');
  if (isReplaced) return elements.filter(({ $patch }) => $patch === undefined);
  let merged = [...original];
  for (const element of elements) {
    const value = element[mergeKey];
    if (value === undefined || value === null) {
      throw internalError(`map: ${goText(element)} does not contain declared merge key: ${mergeKey}`);
    }
    if (element.$patch === 'delete') {
      merged = merged.filter((other) => !isObject(other) || !equalJson(other[mergeKey], value));
      continue;
    }
    const index = merged.findIndex((other) => isObject(other) && equalJson(other[mergeKey], value));
    const present = merged[index];
    const result = strategicMergePatch(isObject(present) ? present : {}, element, items);
    if (index < 0) merged.push(result);
    else merged[index] = result;
  }
  return merged;
}

/** Orders a list without changing its elements. */
function orderUnpatched(merged: Json, original: JsonObject, patch: JsonObject, schema?: FieldSchema): void {
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(orderPrefix)) continue;
    const listName = name.slice(orderPrefix.length);
    const mergeKey = fieldSchema(schema, listName)?.mergeKey;
    if (mergeKey === undefined) throw badRequest('invalid patch format of setElementOrder list');
    const [list, before] = [merged[listName], original[listName]];
    if (Object.hasOwn(patch, listName) || !Array.isArray(list)) continue;
    merged[listName] = orderElements(list, checkOrder(order, [], mergeKey), Array.isArray(before) ? before : [], mergeKey);
  }
}

/** The order that the patch requests; the patch's elements must be in this order too. */
function checkOrder(order: unknown, patch: readonly unknown[], mergeKey: string): unknown[] {
  if (!Array.isArray(order)) throw badRequest('invalid patch format of setElementOrder list');
  const keyOf = (element: unknown) => (mergeKey === '' ? element : isObject(element) ? element[mergeKey] : undefined);
  const kept = patch.filter((element) => !isObject(element) || element.$patch !== 'delete');
  let found = 0;
  for (const element of order) if (found < kept.length && equalJson(keyOf(element), keyOf(kept[found]))) found += 1;
  if (found === kept.length) return order;
  throw internalError(`The order in patch list:\n${goText(kept)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
}

/** A value in the format of the API server's messages. */
function goText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isObject(value)) return value === null ? '<nil>' : String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([name, field]) => `${name}:${goText(field)}`).join(' ')}]`;
}
