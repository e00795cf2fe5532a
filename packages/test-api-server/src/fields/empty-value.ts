import type { ObjectType, ValueKind } from './object-type.js';

type Json = Record<string, unknown>;

/** Adds the fields that Go writes even if they are empty. */
export function complete(type: ObjectType, object: Json): void {
  for (const { name, isList, isMap, keepsZero, kind, type: inner } of type.always) {
    if (object[name] !== undefined) continue;
    object[name] = isList || isMap || keepsZero ? null : emptyValue(kind, inner);
  }
}

/** The JSON of a value without content. */
export function emptyValue(kind: ValueKind, type: ObjectType | undefined): unknown {
  switch (kind) {
    case 'object': {
      const object: Json = {};
      if (type) complete(type, object);
      return object;
    }
    case 'string':
    case 'bytes':
      return '';
    case 'int':
    case 'double':
    case 'intOrString':
      return 0;
    case 'bool':
      return false;
    case 'quantity':
      return '0';
    case 'duration':
      return '0s';
    default:
      return null;
  }
}
