import { decodeBase64, isObject } from '@nodeagent/api/helpers';
import { type MessageWriter, wireTypes } from '@nodeagent/protobuf';
import type { ObjectField, ObjectType, ValueKind } from '../fields/object-type.js';
import { putMessageValue, wireTypeOf } from './values.js';

type Json = Readonly<Record<string, unknown>>;

const bytesTag = (number: number) => 8 * number + wireTypes.bytes;

/**
 * Writes the fields of an object, without its length. Fields that the type does not have, and those that are null, are omitted: protobuf
 * does not distinguish an empty list from an absent one, either.
 */
function putObject(writer: MessageWriter, type: ObjectType, object: Json): void {
  for (const name in object) {
    const value = object[name];
    if (value === null || value === undefined) continue;
    const field = type.fields.get(name);
    if (field !== undefined && field.number !== 0) putField(writer, field, value);
  }
  for (const { number, type: inner } of type.inlined) {
    writer.uint32(bytesTag(number)).begin();
    if (inner) putObject(writer, inner, object);
    writer.end();
  }
}

/** The encodings of stored objects, which never change: lists and watches write most of them many times. */
const encodings = new WeakMap<object, Uint8Array>();

const isStored = ({ metadata }: Json) => isObject(metadata) && metadata.uid !== undefined;

/** Writes an object with its length. */
export function putSized(writer: MessageWriter, type: ObjectType, object: Json): void {
  const known = type.isKind ? encodings.get(object) : undefined;
  if (known) {
    writer.raw(known);
    return;
  }
  const start = writer.size;
  putObject(writer.begin(), type, object);
  writer.end();
  if (type.isKind && isStored(object)) encodings.set(object, writer.since(start));
}

function putField(writer: MessageWriter, field: ObjectField, value: unknown): void {
  const { number, isList, isMap } = field;
  if (isList) {
    if (Array.isArray(value)) for (const element of value) putValue(writer, field, number, element);
  } else if (isMap) {
    if (isObject(value)) putMap(writer, field, value);
  } else putValue(writer, field, number, value);
}

function putMap(writer: MessageWriter, field: ObjectField, map: Json): void {
  for (const key in map) {
    writer.uint32(bytesTag(field.number)).begin().uint32(bytesTag(1)).string(key);
    putValue(writer, field, 2, map[key]);
    writer.end();
  }
}

/** Writes one value with its number. A value that its kind cannot have is omitted. */
function putValue(writer: MessageWriter, field: ObjectField, number: number, value: unknown): void {
  const { kind } = field;
  if (value === null || value === undefined) return;
  switch (kind) {
    case 'string':
      writer.uint32(bytesTag(number)).string(typeof value === 'string' ? value : String(value));
      return;
    case 'object':
      putMessage(writer, field.type, number, value);
      return;
    case 'bytes':
      writer.uint32(bytesTag(number)).bytes(decodeBase64(String(value)));
      return;
    case 'int':
    case 'bool':
    case 'double':
      putNumber(writer, kind, number, Number(value));
      return;
    case 'schemaOrBool':
    case 'schemaOrList':
    case 'schemaOrStrings':
      putUnion(writer.uint32(bytesTag(number)).begin(), kind, field.type, value);
      writer.end();
      return;
    default:
      putMessageValue(writer.uint32(bytesTag(number)).begin(), kind, value);
      writer.end();
  }
}

function putNumber(writer: MessageWriter, kind: ValueKind, number: number, value: number): void {
  if (!Number.isFinite(value)) return;
  writer.uint32(8 * number + wireTypeOf(kind));
  if (kind === 'double') writer.double(value);
  else writer.int64(Math.trunc(value));
}

function putMessage(writer: MessageWriter, type: ObjectType | undefined, number: number, value: unknown): void {
  if (type && isObject(value)) putSized(writer.uint32(bytesTag(number)), type, value);
}

/** A schema, or what may be instead of it, each with a number: Kubernetes API reference, "JSONSchemaProps". */
function putUnion(writer: MessageWriter, kind: ValueKind, type: ObjectType | undefined, value: unknown): void {
  if (kind === 'schemaOrBool') {
    putNumber(writer, 'bool', 1, isObject(value) || value === true ? 1 : 0);
    putMessage(writer, type, 2, value);
  } else if (!Array.isArray(value)) putMessage(writer, type, 1, value);
  else if (kind === 'schemaOrList') for (const each of value) putMessage(writer, type, 2, each);
  else for (const each of value) writer.uint32(bytesTag(2)).string(String(each));
}
