import { isObject } from '@nodeagent/api';

/**
 * The value of a JSON text from an API server, without null fields at any depth: Go writes an empty list or map as null where its field
 * has no `omitempty`, and a time that is not set. As in Go, a null field is an absent one. Elements of lists stay what they are. Throws
 * as `JSON.parse` does.
 */
export function parseApiJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // Looking for the word is far cheaper than to visit each value, and most texts do not have it.
  return text.includes('null') ? withoutNulls(value) : value;
}

/** The value itself, changed where it can be; an object with null fields is replaced by one that never had them. */
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

/** A copy, because V8 keeps an object that lost fields in a slow form. */
function withoutNullFields(object: Record<string, unknown>): Record<string, unknown> {
  // Assigning this name would set the prototype.
  if (Object.hasOwn(object, '__proto__')) return Object.fromEntries(Object.entries(object).filter(([, field]) => field !== null));
  const copy: Record<string, unknown> = {};
  for (const name in object) if (object[name] !== null) copy[name] = object[name];
  return copy;
}
