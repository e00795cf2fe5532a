import { isObject } from '@nodeagent/api/helpers';
import { nameOfType } from './built-in-types.js';
import type { ObjectField, ObjectType, ValueKind } from './object-type.js';

/** The field of a value that its type cannot hold. */
export interface WrongType {
  /** Field names from the object on, without indexes of lists and keys of maps. */
  path: string;
  /** The type of the object that has the field, such as `DeploymentSpec`. */
  owner: string;
  field: ObjectField;
  value: unknown;
  /** Whether the field is no list or no map at all; otherwise the value may be one in it. */
  isWhole: boolean;
}

const isText = (value: unknown) => typeof value === 'string';
const isInteger = (value: unknown) => Number.isInteger(value);
const isNumber = (value: unknown) => typeof value === 'number';

/** Whether a value fits; kinds that are not here hold any value. */
const checks: Partial<Record<ValueKind, (value: unknown) => boolean>> = {
  string: isText,
  bytes: isText,
  time: isText,
  microTime: isText,
  duration: isText,
  int: isInteger,
  double: isNumber,
  bool: (value) => typeof value === 'boolean',
  quantity: (value) => isText(value) || isNumber(value),
  intOrString: (value) => isText(value) || isInteger(value),
  object: isObject,
};

/** The first field with a value of a wrong type; null fits everywhere, and unknown fields are skipped. */
export function findWrongType(object: Readonly<Record<string, unknown>>, type: ObjectType): WrongType | undefined {
  for (const name in object) {
    const value = object[name];
    const field = value === null ? undefined : type.get(name);
    if (field === undefined) continue;
    const values = valuesOf(field, value);
    if (values === undefined) return { path: name, owner: ownerOf(type), field, value, isWhole: true };
    const check = checks[field.kind];
    for (const each of values) {
      if (each === null || check === undefined) continue;
      if (!check(each)) return { path: name, owner: ownerOf(type), field, value: each, isWhole: false };
      const inner = field.kind === 'object' && field.type ? findWrongType(each as Record<string, unknown>, field.type) : undefined;
      if (inner) return { ...inner, path: `${name}.${inner.path}` };
    }
  }
  return undefined;
}

/** The values of a list, of a map or of a field; undefined if the field has another shape. */
function valuesOf({ isList, isMap, kind }: ObjectField, value: unknown): readonly unknown[] | undefined {
  if (isList) return Array.isArray(value) ? value : undefined;
  if (isMap) return isObject(value) ? Object.values(value) : undefined;
  return kind === 'stringList' && !Array.isArray(value) ? undefined : [value];
}

const ownerOf = (type: ObjectType): string => nameOfType(type)?.name ?? type.name;

const longNumbers =
  /(^|\.)(generation|observedGeneration|revision|sizeBytes|runAs(User|Group)|fsGroup|supplementalGroups|\w*[gG]racePeriodSeconds|tolerationSeconds|activeDeadlineSeconds|startingDeadlineSeconds)$/;

/** The Go type of the field, or of the value in its list or map. */
function goType({ field, path, isWhole }: WrongType): string {
  const type = elementType(field, path);
  if (!isWhole) return type;
  return field.isMap ? `map[string]${type}` : `[]${type}`;
}

function elementType({ kind, type }: ObjectField, path: string): string {
  switch (kind) {
    case 'object': {
      const { version = '', name = '' } = (type && nameOfType(type)) ?? {};
      return `${version.split('/').at(-1)}.${name}`;
    }
    case 'int':
      return longNumbers.test(path) ? 'int64' : 'int32';
    case 'bool':
      return 'bool';
    case 'double':
      return 'float64';
    case 'bytes':
      return '[]uint8';
    default:
      return 'string';
  }
}

/** The problem in the words of Go's decoder, which an API server passes on. */
export function wrongTypeProblem(wrong: WrongType): string {
  const { field, value, path, owner, isWhole } = wrong;
  if (field.kind === 'quantity' && !isWhole) {
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  return `json: cannot unmarshal ${goValue(value)} into Go struct field ${owner}.${path} of type ${goType(wrong)}`;
}

/** The same in the words of server-side apply, which checks the types first. */
export function wrongTypeInApply({ field, value, isWhole }: WrongType): string {
  const shown = typeof value === 'object' ? goValue(value) : value;
  if (isWhole) return `expected ${field.isMap ? 'map' : 'list'}, got &{${shown}}`;
  switch (field.kind) {
    case 'object':
      return `expected map, got &{${shown}}`;
    case 'bool':
      return `expected boolean, got &{${shown}}`;
    case 'int':
    case 'double':
      return `expected numeric (int or float), got ${typeof value === 'boolean' ? 'bool' : typeof value === 'number' ? 'float64' : 'string'}`;
    default:
      return `expected string, got &value.valueUnstructured{Value:${shown}}`;
  }
}

function goValue(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'number' : `number ${value}`;
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
