import { isObject } from '@nodeagent/api/helpers';

/** Objects of the API have about 20 levels. `structuredClone` and other recursive functions exceed the stack at about 2000. */
const maxDepth = 500;

/**
 * Parses JSON from an API server and removes null fields at any depth: Go writes an empty list or map as null if its field
 * has no `omitempty`, and also an unset time. As in Go, a null field is an absent field. Elements of lists stay unchanged. Throws
 * like `JSON.parse`, and a RangeError for values that are nested deeper than 500 levels.
 */
export function parseApiJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  checkDepth(value, maxDepth);
  // Searching for the word is far cheaper than visiting each value, and most texts do not contain it.
  return text.includes('null') ? withoutNulls(value) : value;
}

function checkDepth(value: unknown, levels: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) throw new RangeError(`the JSON is nested deeper than ${maxDepth} levels`);
  if (Array.isArray(value)) for (const element of value) checkDepth(element, levels - 1);
  else for (const name in value) checkDepth((value as Record<string, unknown>)[name], levels - 1);
}

/** Changes the value in place if possible; an object with null fields is replaced by a copy. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const element: unknown = value[index];
      const cleaned = withoutNulls(element);
      if (cleaned !== element) value[index] = cleaned;
    }
    return value;
  }
  if (!isObject(value)) return value;
  let hasNull = false;
  for (const name in value) {
    const field = value[name];
    if (field === null) hasNull = true;
    else if (typeof field === 'object') {
      const cleaned = withoutNulls(field);
      if (cleaned !== field) value[name] = cleaned;
    }
  }
  return hasNull ? withoutNullFields(value) : value;
}

/** A copy, because V8 keeps objects with deleted fields in a slow form. */
function withoutNullFields(object: Record<string, unknown>): Record<string, unknown> {
  // Assigning this name would set the prototype.
  if (Object.hasOwn(object, '__proto__')) return Object.fromEntries(Object.entries(object).filter(([, field]) => field !== null));
  const copy: Record<string, unknown> = {};
  for (const name in object) if (object[name] !== null) copy[name] = object[name];
  return copy;
}
