import { isObject } from '@nodeagent/api/helpers';
import type { ApiObject } from '../objects.js';
import { typeOfKind } from './built-in-types.js';
import { complete } from './empty-value.js';
import type { ObjectField, ObjectType } from './object-type.js';

/**
 * Gives an object the form in which a server in Go writes it, whatever its client sent: with the fields without `omitempty` (structs, which
 * clients read without a check, lists and times as null, zeros), and without zeros of other fields of the spec and the status. Changes the object. Custom
 * resources, and the metadata, are as they are.
 */
export function setGoForm(object: ApiObject): void {
  const type = typeOfKind(object.apiVersion ?? '', object.kind ?? '');
  if (type === undefined) return;
  fill(type, object);
  for (const part of ['spec', 'status']) {
    const [partType, value] = [type.get(part)?.type, object[part]];
    if (partType && isObject(value)) dropZeros(partType, value);
  }
}

/** The empty object of a kind, which bookmarks have beside the metadata. */
export function emptyOfKind(apiVersion: string, kind: string): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  const type = typeOfKind(apiVersion, kind);
  if (type) complete(type, object);
  const { metadata: _metadata, apiVersion: _version, kind: _kind, ...rest } = object;
  return rest;
}

function fill(type: ObjectType, object: Record<string, unknown>): void {
  for (const { name, isList } of type.always) {
    const value = object[name];
    if (value === null || (isList && Array.isArray(value) && value.length === 0)) delete object[name];
  }
  complete(type, object);
  for (const name in object) {
    const value = object[name];
    if (typeof value !== 'object' || value === null || name === 'metadata') continue;
    const field = type.get(name);
    if (field?.type && hasAlways(field.type)) for (const each of valuesOf(field, value)) if (isObject(each)) fill(field.type, each);
  }
}

const valuesOf = ({ isList, isMap }: ObjectField, value: object): unknown[] =>
  isList ? (Array.isArray(value) ? value : []) : isMap ? Object.values(value) : [value];

const known = new WeakMap<ObjectType, boolean>();

/** Whether objects of the type, or those in them, have a field that is always written. */
function hasAlways(type: ObjectType): boolean {
  const before = known.get(type);
  if (before !== undefined) return before;
  // For types that contain themselves.
  known.set(type, type.always.length > 0);
  const has = type.always.length > 0 || [...type.fields.values(), ...type.inlined].some((field) => field.type && hasAlways(field.type));
  known.set(type, has);
  return has;
}

const zeros: readonly unknown[] = [0, '', false];

function dropZeros(type: ObjectType, part: Record<string, unknown>): void {
  for (const name in part) {
    const field = type.get(name);
    if (field === undefined || field.isAlways || field.keepsZero || field.kind === 'intOrString') continue;
    if (zeros.includes(part[name]) || (field.isMap && isObject(part[name]) && Object.keys(part[name]).length === 0)) delete part[name];
  }
}
