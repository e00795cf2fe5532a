import type { NodeAgentError } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { type FieldSchema, fieldSchema, type JsonObject } from './field-schema.js';
import { fieldPaths } from './field-set.js';
import { elementName, hasOwnedElements } from './list-elements.js';
import { badRequest, internalError } from './refusals.js';

/**
 * Rejects an applied object that cannot be merged: one with managedFields, or with duplicate list elements.
 */
export function checkApplied(applied: JsonObject, schema: FieldSchema | undefined): void {
  const { managedFields } = isObject(applied.metadata) ? applied.metadata : {};
  if (Array.isArray(managedFields) && managedFields.length > 0) throw badRequest('metadata.managedFields must be nil');
  const problem = findProblem(applied, schema, '');
  if (problem !== undefined) throw cannotBeMerged(applied, problem);
}

/** The error of an applied object with fields that its kind does not have. */
export function notDeclared(applied: JsonObject, fields: readonly string[], schema: FieldSchema | undefined): NodeAgentError {
  const problems = fields.map((field) => `${keyedPath(field, applied, schema)}: field not declared in schema`);
  return cannotBeMerged(applied, problems.length === 1 ? problems.join('') : `errors:\n${problems.map((each) => `  ${each}`).join('\n')}`);
}

/** The error of an applied object with a value of a wrong type. */
export const wronglyTyped = (applied: JsonObject, path: string, problem: string): NodeAgentError =>
  cannotBeMerged(applied, `.${path}: ${problem}`);

/** A path such as `spec.containers[0].imagee` with the keys of list elements: `.spec.containers[name="main"].imagee`. */
function keyedPath(path: string, applied: JsonObject, schema: FieldSchema | undefined): string {
  let value: unknown = applied;
  let at = schema;
  let text = '';
  for (const [, name = '', index] of path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)) {
    if (index === undefined) {
      value = isObject(value) ? value[name] : undefined;
      at = fieldSchema(at, name);
      text += `.${name}`;
    } else {
      value = Array.isArray(value) ? value[Number(index)] : undefined;
      const key = hasOwnedElements(at) ? elementName(value, at) : undefined;
      text += key === undefined ? `[${index}]` : shownKey(key);
      at = at?.items;
    }
  }
  return text;
}

const shownKey = (name: string): string =>
  fieldPaths({ member: false, children: new Map([[name, { member: true, children: new Map() }]]) }).join('');

function cannotBeMerged(applied: JsonObject, problem: string): NodeAgentError {
  const { namespace = '', name = '' } = isObject(applied.metadata) ? applied.metadata : {};
  const what = `${namespace}/${name}; ${applied.apiVersion}, Kind=${applied.kind}`;
  return internalError(`failed to create typed patch object (${what}): ${problem}`);
}

function findProblem(value: unknown, schema: FieldSchema | undefined, path: string): string | undefined {
  if (Array.isArray(value)) return hasOwnedElements(schema) ? findListProblem(value, schema, path) : undefined;
  if (!isObject(value)) return undefined;
  return firstProblem(Object.entries(value), ([name, field]) => findProblem(field, fieldSchema(schema, name), `${path}.${name}`));
}

function findListProblem(list: readonly unknown[], schema: FieldSchema, path: string): string | undefined {
  const seen = new Set<string>();
  return firstProblem(list.entries(), ([index, element]) => {
    const name = elementName(element, schema);
    if (name === undefined) {
      const key = schema.keys?.[0] ?? '';
      return `${path}: element ${index}: associative list with keys has an element that omits key field "${key}" (and doesn't have default value)`;
    }
    const shown = shownKey(name);
    if (seen.has(name)) return `${path}: duplicate entries for key ${shown}`;
    seen.add(name);
    return findProblem(element, schema.items, `${path}${shown}`);
  });
}

function firstProblem<T>(parts: Iterable<T>, find: (part: T) => string | undefined): string | undefined {
  for (const part of parts) {
    const problem = find(part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
