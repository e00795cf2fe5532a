import type { Field, Message, MessageInit, MessageType } from './message.js';

const varintType = 0;
const fixed64Type = 1;
const lengthType = 2;
const fixed32Type = 5;

const entryType: MessageType = { fields: { key: { number: 1, kind: 'string' }, value: { number: 2, kind: 'string' } } };

/** Encodes a message in proto3: fields with their default value are omitted. */
export function encodeMessage<M extends MessageType>(type: M, value: MessageInit<M>): Buffer {
  const chunks: Uint8Array[] = [];
  const given = value as Readonly<Record<string, unknown>>;
  for (const [name, field] of Object.entries(type.fields)) {
    const content = given[name];
    if (content === undefined) continue;
    if (field.map) {
      for (const [key, text] of Object.entries(content as Record<string, string>)) {
        putBytes(chunks, field.number, encodeMessage(entryType, { key, value: text } as MessageInit<MessageType>));
      }
    } else if (isPacked(field)) putPacked(chunks, field.number, content as bigint[]);
    else if (field.repeated) for (const element of content as unknown[]) putValue(chunks, field, element, true);
    else putValue(chunks, field, content, false);
  }
  return Buffer.concat(chunks);
}

function putValue(chunks: Uint8Array[], field: Field<unknown>, value: unknown, always: boolean): void {
  switch (field.kind) {
    case 'message':
      putBytes(chunks, field.number, encodeMessage(field.type as MessageType, value as MessageInit<MessageType>));
      return;
    case 'string':
      if (always || value !== '') putBytes(chunks, field.number, Buffer.from(value as string));
      return;
    case 'bool':
      putNumber(chunks, field.number, value ? 1n : 0n);
      return;
    case 'int64':
      putNumber(chunks, field.number, BigInt.asUintN(64, value as bigint));
      return;
    case 'enum': {
      const position = field.names?.indexOf(value as string) ?? -1;
      if (position < 0) throw new TypeError(`${JSON.stringify(value)} is none of ${field.names?.join(', ')}`);
      putNumber(chunks, field.number, BigInt(position));
    }
  }
}

/** proto3 packs repeated numbers into one field; zeros count. */
function putPacked(chunks: Uint8Array[], number: number, values: readonly bigint[]): void {
  if (values.length > 0) putBytes(chunks, number, Buffer.concat(values.map((value) => varint(BigInt.asUintN(64, value)))));
}

const isPacked = (field: Field<unknown>) => field.repeated === true && field.kind === 'int64';

function putNumber(chunks: Uint8Array[], number: number, value: bigint): void {
  if (value !== 0n) chunks.push(varint(BigInt(number * 8 + varintType)), varint(value));
}

function putBytes(chunks: Uint8Array[], number: number, bytes: Uint8Array): void {
  chunks.push(varint(BigInt(number * 8 + lengthType)), varint(BigInt(bytes.length)), bytes);
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** Decodes a message. Throws a RangeError or TypeError if the bytes are invalid. Unknown fields are skipped. */
export function decodeMessage<M extends MessageType>(type: M, bytes: Uint8Array): Message<M> {
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(type.fields)) {
    if (field.map) result[name] = {};
    else if (field.repeated) result[name] = [];
    else if (field.kind !== 'message') result[name] = initial(field);
  }
  const byNumber = new Map(Object.entries(type.fields).map(([name, field]) => [field.number, { name, field }]));
  const reader = { bytes, position: 0 };
  while (reader.position < bytes.length) {
    const tag = Number(readVarint(reader));
    const known = byNumber.get(tag >>> 3);
    if (known !== undefined && isPacked(known.field) && (tag & 7) === lengthType) {
      const packed = { bytes: readBytes(reader), position: 0 };
      while (packed.position < packed.bytes.length) take(result, known.name, known.field, readValue(packed, known.field));
    } else if (known === undefined || (tag & 7) !== wireType(known.field)) skip(reader, tag & 7);
    else take(result, known.name, known.field, readValue(reader, known.field));
  }
  return result as Message<M>;
}

function initial(field: Field<unknown>): unknown {
  return { string: '', bool: false, int64: 0n, enum: field.names?.[0], message: undefined }[field.kind];
}

const wireType = (field: Field<unknown>) => (field.kind === 'string' || field.kind === 'message' ? lengthType : varintType);

function take(result: Record<string, unknown>, name: string, field: Field<unknown>, value: unknown): void {
  if (field.map) {
    const entry = value as { key: string; value: string };
    // Not an assignment, because `__proto__` is a valid key.
    Object.defineProperty(result[name], entry.key, { value: entry.value, writable: true, enumerable: true, configurable: true });
  } else if (field.repeated) (result[name] as unknown[]).push(value);
  else result[name] = value;
}

interface Reader {
  bytes: Uint8Array;
  position: number;
}

function readValue(reader: Reader, field: Field<unknown>): unknown {
  if (field.map) return decodeMessage(entryType, readBytes(reader));
  switch (field.kind) {
    case 'string':
      return Buffer.from(readBytes(reader)).toString();
    case 'message':
      return decodeMessage(field.type as MessageType, readBytes(reader));
    case 'bool':
      return readVarint(reader) !== 0n;
    case 'int64':
      return BigInt.asIntN(64, readVarint(reader));
    case 'enum':
      return field.names?.[Number(BigInt.asIntN(32, readVarint(reader)))] ?? field.names?.[0];
  }
}

function readVarint(reader: Reader): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.bytes[reader.position++];
    if (byte === undefined) throw new RangeError('the message ends within a number');
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return BigInt.asUintN(64, value);
  }
  throw new RangeError('a number of the message has more than 64 bits');
}

function readBytes(reader: Reader): Uint8Array {
  const length = Number(readVarint(reader));
  return advance(reader, length);
}

function advance(reader: Reader, length: number): Uint8Array {
  const end = reader.position + length;
  if (end > reader.bytes.length) throw new RangeError('the message ends within a field');
  const bytes = reader.bytes.subarray(reader.position, end);
  reader.position = end;
  return bytes;
}

function skip(reader: Reader, type: number): void {
  if (type === varintType) readVarint(reader);
  else if (type === fixed64Type) advance(reader, 8);
  else if (type === lengthType) readBytes(reader);
  else if (type === fixed32Type) advance(reader, 4);
  else throw new TypeError(`a field of the message has the unknown type ${type}`);
}
