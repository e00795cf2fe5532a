import { isObject } from '@nodeagent/api/helpers';
import type { ObjectType } from './object-type.js';

/** Removes the fields of a value that its type does not have. Returns their paths, such as `spec.containers[0].imagee`. Changes the value. */
export function removeUnknown(value: unknown, type: ObjectType, path = ''): string[] {
  return removeWithin(value, type).map((each) => (path === '' && each.startsWith('.') ? each.slice(1) : path + each));
}

const none: readonly string[] = [];

/** Returns the paths from the value, such as `.image` and `[0].image`. */
function removeWithin(value: unknown, type: ObjectType): readonly string[] {
  let unknown = none;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) unknown = withPart(unknown, index, removeWithin(value[index], type));
  } else if (isObject(value)) {
    for (const name in value) {
      const field = type.get(name);
      if (field === undefined) {
        unknown = [...unknown, `.${name}`];
        delete value[name];
      } else if (field.type) {
        const within = field.isMap ? removeFromMap(value[name], field.type) : removeWithin(value[name], field.type);
        unknown = withPart(unknown, name, within);
      }
    }
  }
  return unknown;
}

function removeFromMap(map: unknown, type: ObjectType): readonly string[] {
  let unknown = none;
  if (isObject(map)) for (const key in map) unknown = withPart(unknown, key, removeWithin(map[key], type));
  return unknown;
}

/** Adds the paths within a part. They are composed only if there are any: few values have unknown fields. */
function withPart(unknown: readonly string[], part: string | number, within: readonly string[]): readonly string[] {
  if (within.length === 0) return unknown;
  const start = typeof part === 'number' ? `[${part}]` : `.${part}`;
  return [...unknown, ...within.map((path) => start + path)];
}
