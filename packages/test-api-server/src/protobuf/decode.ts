import { errorCode, errorMessage } from '@nodeagent/api';
import { encodeBase64 } from '@nodeagent/api/helpers';
import { InvalidField, MessageReader, wireTypes } from '@nodeagent/protobuf';
import { complete, emptyValue } from '../fields/empty-value.js';
import type { ObjectField, ObjectType, ValueKind } from '../fields/object-type.js';
import { readMessageValue, wireTypeOf } from './values.js';

type Json = Record<string, unknown>;

/** Maximum depth of objects inside of each other; those of the API have about 20, and schemas a few more. */
const maxDepth = 500;
/** Maximum number of objects of a body: an empty one takes two bytes on the wire and a hundred times that in memory. */
const maxObjects = 200_000;

/** A body that is not the message of its kind, in the words of Go's decoder. */
export class InvalidProtobuf extends Error {
  override readonly name: string = 'InvalidProtobuf';
}

/** A body of a kind that is not built in. */
export class UnknownKind extends InvalidProtobuf {
  override readonly name = 'UnknownKind';
  readonly apiVersion: string;
  readonly kind: string;

  constructor(apiVersion: string, kind: string) {
    super(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/api/legacyscheme/scheme.go:30"`);
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

/** A body without an envelope that names the kind. */
export class InvalidEnvelope extends InvalidProtobuf {
  override readonly name = 'InvalidEnvelope';
}

/**
 * Decodes one object to the JSON that Go writes of it: a field that Go omits if it is empty is absent, another one has its zero value.
 * Unknown fields are skipped; an object that occurs twice is merged, of other values the last one counts. Throws {@link InvalidProtobuf}.
 */
export function readObject(type: ObjectType, bytes: Uint8Array, readRaw: (bytes: Uint8Array) => unknown): Json {
  try {
    return new ObjectReader(new MessageReader(bytes), readRaw).object(type, bytes.length, {}, 0);
  } catch (error) {
    throw inWordsOfGo(error);
  }
}

/** The errors of the reader, and those of a body's values; others are no fault of the body. */
const rangeProblems: readonly [text: string, problem: string][] = [
  ['the message ends within', 'unexpected EOF'],
  ['more than 64 bits', 'proto: integer overflow'],
  ['a time is out of range', 'Time.MarshalJSON: year outside of range [0,9999]'],
];

/** The error of a body whose fields cannot be read. */
export function inWordsOfGo(error: unknown): unknown {
  if (error instanceof SyntaxError || errorCode(error) === 'InvalidQuantity') return new InvalidProtobuf(errorMessage(error));
  if (error instanceof InvalidField) return new InvalidProtobuf('proto: illegal wireType');
  const problem = error instanceof RangeError ? rangeProblems.find(([text]) => error.message.includes(text))?.[1] : undefined;
  return problem === undefined ? error : new InvalidProtobuf(problem);
}

class ObjectReader {
  readonly #reader: MessageReader;
  readonly #readRaw: (bytes: Uint8Array) => unknown;
  #objects = 0;

  constructor(reader: MessageReader, readRaw: (bytes: Uint8Array) => unknown) {
    this.#reader = reader;
    this.#readRaw = readRaw;
  }

  /** Reads the fields of an object, which ends at `end`, into `object`. */
  object(type: ObjectType, end: number, object: Json, depth: number): Json {
    if (depth > maxDepth) throw new InvalidProtobuf(`exceeded max depth of ${maxDepth}`);
    if (++this.#objects > maxObjects) throw new InvalidProtobuf(`more than ${maxObjects} objects`);
    const reader = this.#reader;
    while (reader.position < end) {
      const tag = reader.tag();
      const field = type.numbered(tag >>> 3);
      if (field) this.#field(field, tag & 7, object, depth);
      else reader.skip(tag);
    }
    if (reader.position !== end) throw new InvalidProtobuf('unexpected EOF');
    complete(type, object);
    return object;
  }

  #field(field: ObjectField, wireType: number, object: Json, depth: number): void {
    const { name, kind, isList, isMap } = field;
    if (isMap) {
      this.#requireType(field, wireType, wireTypes.bytes);
      this.#entry(field, object, depth);
    } else if (isList) {
      object[name] ??= [];
      const list = object[name] as unknown[];
      if (kind === 'int' && wireType === wireTypes.bytes) this.#packed(list);
      else list.push(this.#value(field, wireType, undefined, depth));
    } else if (name === '*') {
      this.#requireType(field, wireType, wireTypes.bytes);
      if (field.type) this.object(field.type, this.#reader.endOfValue(), object, depth + 1);
    } else {
      const value = this.#value(field, wireType, object[name], depth);
      // A later zero replaces an earlier value.
      if (field.keepsZero || !isZero(kind, value)) object[name] = value;
      else if (object[name] !== undefined) delete object[name];
    }
  }

  #packed(list: unknown[]): void {
    const end = this.#reader.endOfValue();
    while (this.#reader.position < end) list.push(Number(this.#reader.int64()));
  }

  #entry(field: ObjectField, object: Json, depth: number): void {
    const reader = this.#reader;
    object[field.name] ??= {};
    const map = object[field.name] as Json;
    const end = reader.endOfValue();
    let key = '';
    let value: unknown;
    while (reader.position < end) {
      const tag = reader.tag();
      if (tag === 8 + wireTypes.bytes) key = reader.string();
      else if (tag >>> 3 === 2) value = this.#value(field, tag & 7, undefined, depth);
      else reader.skip(tag);
    }
    if (reader.position !== end) throw new InvalidProtobuf('unexpected EOF');
    value ??= emptyValue(field.kind, field.type);
    // Not an assignment, because `__proto__` is a valid key.
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  }

  #requireType(field: ObjectField, actual: number, expected: number): void {
    if (actual === expected) return;
    const name = field.name === '*' || field.name === 'metadata' ? (field.type?.name ?? '') : field.name;
    throw new InvalidProtobuf(`proto: wrong wireType = ${actual} for field ${name.charAt(0).toUpperCase()}${name.slice(1)}`);
  }

  #value(field: ObjectField, wireType: number, before: unknown, depth: number): unknown {
    const { kind, type } = field;
    const reader = this.#reader;
    this.#requireType(field, wireType, wireTypeOf(kind));
    switch (kind) {
      case 'string':
        return reader.string();
      case 'int':
        return Number(reader.int64());
      case 'bool':
        return reader.bool();
      case 'double':
        return reader.double();
      case 'bytes':
        return encodeBase64(reader.view());
      case 'object':
        return type && this.object(type, reader.endOfValue(), (before ?? {}) as Json, depth + 1);
      case 'schemaOrBool':
      case 'schemaOrList':
      case 'schemaOrStrings':
        return type && this.#union(kind, type, depth + 1);
      default: {
        const end = reader.endOfValue();
        const value = readMessageValue(reader, kind, end, this.#readRaw);
        if (reader.position !== end) throw new InvalidProtobuf('unexpected EOF');
        return value;
      }
    }
  }

  /** The reverse of `putUnion`. */
  #union(kind: ValueKind, type: ObjectType, depth: number): unknown {
    const reader = this.#reader;
    const end = reader.endOfValue();
    const list: unknown[] = [];
    let schema: unknown;
    let allows = false;
    while (reader.position < end) {
      const tag = reader.tag();
      const isSecond = tag >>> 3 === 2;
      if (tag === 8 + wireTypes.varint && kind === 'schemaOrBool') allows = reader.bool();
      else if (tag === 16 + wireTypes.bytes && kind === 'schemaOrStrings') list.push(reader.string());
      else if ((tag & 7) === wireTypes.bytes && (isSecond || tag >>> 3 === 1)) {
        const value = this.object(type, reader.endOfValue(), {}, depth);
        if (isSecond && kind === 'schemaOrList') list.push(value);
        else schema = value;
      } else reader.skip(tag);
    }
    if (reader.position !== end) throw new InvalidProtobuf('unexpected EOF');
    return schema ?? (kind === 'schemaOrBool' ? allows : list);
  }
}

const kindsWithZero: readonly ValueKind[] = ['string', 'bytes', 'int', 'bool', 'double'];

/** Whether Go omits the value of a field with `omitempty` that is no pointer. */
function isZero(kind: ValueKind, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return (value === '' || value === 0 || value === false) && kindsWithZero.includes(kind);
}
