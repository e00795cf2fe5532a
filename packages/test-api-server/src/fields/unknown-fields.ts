import { isObject } from '@nodeagent/api/helpers';
import type { ObjectType } from './object-type.js';

const inside = (path: string, name: string) => (path === '' ? name : `${path}.${name}`);

/** Removes the fields of a value that its type does not have. Returns their paths, such as `spec.containers[0].imagee`. Changes the value. */
export function removeUnknown(value: unknown, type: ObjectType, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((each, index) => removeUnknown(each, type, `${path}[${index}]`));
  if (!isObject(value)) return [];
  const unknown: string[] = [];
  for (const [name, inner] of Object.entries(value)) {
    const field = type.get(name);
    if (field === undefined) {
      unknown.push(inside(path, name));
      delete value[name];
    } else if (field.type && field.isMap) unknown.push(...removeFromMap(inner, field.type, inside(path, name)));
    else if (field.type) unknown.push(...removeUnknown(inner, field.type, inside(path, name)));
  }
  return unknown;
}

function removeFromMap(map: unknown, type: ObjectType, path: string): string[] {
  if (!isObject(map)) return [];
  return Object.entries(map).flatMap(([key, each]) => removeUnknown(each, type, `${path}.${key}`));
}
