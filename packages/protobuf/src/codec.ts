import type { Field, Message, MessageInit, MessageType } from './message.js';
import { Reader, wireTypes } from './reader.js';
import { Writer } from './writer.js';

type Content = Record<string, unknown>;

const entryType: MessageType = { fields: { key: { number: 1, kind: 'string' }, value: { number: 2, kind: 'string' } } };

/** Encodes a message in proto3: fields with their default value are omitted. Throws a TypeError for an unknown name of an enum. */
export function encodeMessage<M extends MessageType>(type: M, value: MessageInit<M>): Buffer {
  const bytes = put(type, value as Content, new Writer()).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

function put(type: MessageType, message: Content, writer: Writer): Writer {
  for (const [name, field] of Object.entries(type.fields)) {
    const value = message[name];
    if (value !== undefined) putField(writer, field, value);
  }
  return writer;
}

function putField(writer: Writer, field: Field<unknown>, value: unknown): void {
  const prefixed = 8 * field.number + wireTypes.bytes;
  if (field.map) {
    for (const [key, text] of Object.entries(value as Record<string, string>))
      put(entryType, { key, value: text }, writer.uint32(prefixed).begin()).end();
  } else if (isPacked(field)) {
    // proto3 packs repeated numbers into one field; zeros count.
    if ((value as bigint[]).length === 0) return;
    writer.uint32(prefixed).begin();
    for (const number of value as bigint[]) writer.int64(number);
    writer.end();
  } else if (field.repeated) for (const element of value as unknown[]) putValue(writer, field, element, true);
  else putValue(writer, field, value, false);
}

function putValue(writer: Writer, field: Field<unknown>, value: unknown, always: boolean): void {
  const tag = 8 * field.number + wireType(field);
  switch (field.kind) {
    case 'message':
      put(field.type as MessageType, value as Content, writer.uint32(tag).begin()).end();
      return;
    case 'string':
      if (always || value !== '') writer.uint32(tag).string(value as string);
      return;
    case 'bool':
      if (value) writer.uint32(tag).bool(true);
      return;
    case 'int64':
      if (value !== 0n) writer.uint32(tag).int64(value as bigint);
      return;
    case 'enum': {
      const position = field.names?.indexOf(value as string) ?? -1;
      if (position < 0) throw new TypeError(`${JSON.stringify(value)} is none of ${field.names?.join(', ')}`);
      if (position > 0) writer.uint32(tag).int32(position);
    }
  }
}

/**
 * Decodes a message. Throws a RangeError or TypeError if the bytes are invalid. Unknown fields, and those of another wire type, are skipped; if
 * a singular field occurs twice, the last one counts.
 */
export function decodeMessage<M extends MessageType>(type: M, bytes: Uint8Array): Message<M> {
  return read(type, new Reader(bytes), bytes.length) as Message<M>;
}

function read(type: MessageType, reader: Reader, end: number): Content {
  const message: Content = {};
  for (const [name, field] of Object.entries(type.fields)) {
    if (field.map) message[name] = {};
    else if (field.repeated) message[name] = [];
    else if (field.kind !== 'message') message[name] = initial(field);
  }
  const byNumber = new Map(Object.entries(type.fields).map((entry) => [entry[1].number, entry]));
  while (reader.position < end) {
    const tag = reader.tag();
    const known = byNumber.get(tag >>> 3);
    if (known === undefined || !readField(reader, tag & 7, message, ...known)) reader.skip(tag);
  }
  if (reader.position !== end) throw new RangeError('the message ends within a field');
  return message;
}

/** Reads the value of a field into the message. Returns false if it has another wire type. */
function readField(reader: Reader, type: number, message: Content, name: string, field: Field<unknown>): boolean {
  if (isPacked(field) && type === wireTypes.bytes) {
    const end = reader.endOfValue();
    while (reader.position < end) (message[name] as bigint[]).push(reader.int64());
    return true;
  }
  if (type !== wireType(field)) return false;
  if (field.map) {
    const { key, value } = read(entryType, reader, reader.endOfValue());
    // Not an assignment, because `__proto__` is a valid key.
    Object.defineProperty(message[name], key as string, { value, writable: true, enumerable: true, configurable: true });
  } else if (field.repeated) (message[name] as unknown[]).push(readValue(reader, field));
  else message[name] = readValue(reader, field);
  return true;
}

function readValue(reader: Reader, { kind, names, type }: Field<unknown>): unknown {
  switch (kind) {
    case 'string':
      return reader.string();
    case 'bool':
      return reader.bool();
    case 'int64':
      return reader.int64();
    case 'enum':
      return names?.[reader.int32()] ?? names?.[0];
    case 'message':
      return read(type as MessageType, reader, reader.endOfValue());
  }
}

const isPacked = ({ repeated, kind }: Field<unknown>) => repeated === true && kind === 'int64';

const wireType = ({ kind, map }: Field<unknown>) => (map || kind === 'string' || kind === 'message' ? wireTypes.bytes : wireTypes.varint);

function initial({ kind, names }: Field<unknown>): unknown {
  return { string: '', bool: false, int64: 0n, enum: names?.[0], message: undefined }[kind];
}
