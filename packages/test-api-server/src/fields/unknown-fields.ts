import { isObject } from '@nodeagent/api/helpers';
import type { ObjectType } from './object-type.js';

/** Removes the fields of a value that its type does not have. Returns their paths, such as `spec.containers[0].imagee`. Changes the value. */
export function removeUnknown(value: unknown, type: ObjectType, path = ''): string[] {
  return removeWithin(value, type).map((each) => (path === '' && each.startsWith('.') ? each.slice(1) : path + each));
}

const none: readonly string[] = [];

/** Returns the paths from the value, such as `.image` and `[0].image`. They are composed only if there are any: few values have unknown fields. */
function removeWithin(value: unknown, type: ObjectType): readonly string[] {
  let unknown = none;
  const descend = (key: string | number, inner: unknown, innerType: ObjectType) => {
    const within = removeWithin(inner, innerType);
    if (within.length > 0) unknown = [...unknown, ...within.map((each) => (typeof key === 'number' ? `[${key}]` : `.${key}`) + each)];
  };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) descend(index, value[index], type);
  } else if (isObject(value)) {
    for (const name in value) {
      const field = type.get(name);
      if (field === undefined) {
        unknown = [...unknown, `.${name}`];
        delete value[name];
      } else if (field.type && field.isMap) {
        const map = value[name];
        if (isObject(map)) for (const key in map) descend(`${name}.${key}`, map[key], field.type);
      } else if (field.type) descend(name, value[name], field.type);
    }
  }
  return unknown;
}
