import type { GrpcCodec } from '@nodeagent/grpc';
import protobuf from 'protobufjs/minimal.js';

/** Helpers of the generated codec. */
export type Reader = protobuf.Reader;
export type Writer = protobuf.Writer;

/** The codec of a message type. Decoding copies: it keeps no reference to the received buffer. */
export type Codec<T> = GrpcCodec<T>;

export function codec<T>(encode: (message: T, writer: Writer) => Writer, decode: (reader: Reader, end: number) => T): Codec<T> {
  return {
    encode: (message) => {
      const bytes = encode(message, protobuf.Writer.create()).finish();
      return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes);
    },
    decode: (bytes) => decode(protobuf.Reader.create(bytes), bytes.length),
  };
}

/** End of the length-delimited value that starts here. */
export function endOf(reader: Reader): number {
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new RangeError(`message of ${end - reader.pos} bytes at ${reader.pos} exceeds the ${reader.len} received`);
  return end;
}

export function overrun(reader: Reader, end: number): never {
  throw new RangeError(`message ends at ${end}, but its last field at ${reader.pos}`);
}

const scratch = new DataView(new ArrayBuffer(8));

function readBits(reader: Reader): void {
  const { buf, len } = reader;
  let { pos } = reader;
  let low = 0;
  let high = 0;
  for (let shift = 0; shift < 70; shift += 7) {
    if (pos >= len) throw new RangeError(`index out of range: ${pos} + 1 > ${len}`);
    const byte = buf[pos++] ?? 0;
    const bits = byte & 127;
    if (shift < 28) low |= bits << shift;
    else if (shift === 28) {
      low |= bits << 28;
      high = bits >> 4;
    } else high |= bits << (shift - 32);
    if (byte < 128) {
      reader.pos = pos;
      scratch.setInt32(0, low, true);
      scratch.setInt32(4, high, true);
      return;
    }
  }
  throw new Error('invalid varint encoding');
}

export function int64(reader: Reader): bigint {
  readBits(reader);
  return scratch.getBigInt64(0, true);
}

export function uint64(reader: Reader): bigint {
  readBits(reader);
  return scratch.getBigUint64(0, true);
}

/** For signed and unsigned values, which have the same 64 bits, also as numbers. Larger values wrap around. */
export function put64(writer: Writer, value: bigint | number): void {
  scratch.setBigInt64(0, BigInt(value), true);
  const bits: Pick<Long, 'low' | 'high'> = { low: scratch.getInt32(0, true), high: scratch.getInt32(4, true) };
  writer.uint64(bits as Long);
}

/** The writer's 64-bit type: two 32-bit halves. */
type Long = Exclude<Parameters<Writer['uint64']>[0], number | string>;

export function bytes(reader: Reader): Uint8Array {
  return new Uint8Array(reader.bytes());
}

/** Appends one element or, by the tag, all elements of a packed list. */
export function repeated<T>(reader: Reader, tag: number, list: T[], read: (reader: Reader) => T): void {
  if ((tag & 7) !== 2) {
    list.push(read(reader));
    return;
  }
  const end = endOf(reader);
  while (reader.pos < end) list.push(read(reader));
  if (reader.pos !== end) overrun(reader, end);
}

export function int32(reader: Reader): number {
  return reader.int32();
}

export function packed<T>(writer: Writer, tag: number, list: readonly T[] | undefined, put: (writer: Writer, value: T) => void): void {
  if (!list?.length) return;
  writer.uint32(tag).fork();
  for (const value of list) put(writer, value);
  writer.ldelim();
}

export function putInt32(writer: Writer, value: number): void {
  writer.int32(value);
}

/** One entry of a map<string, string>. */
export function entry(reader: Reader, map: Record<string, string>): void {
  const end = endOf(reader);
  let key = '';
  let value = '';
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) key = reader.string();
    else if (tag === 18) value = reader.string();
    else reader.skipType(tag & 7);
  }
  if (reader.pos !== end) overrun(reader, end);
  if (key === '__proto__') Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
}

export function entries(writer: Writer, tag: number, map: Readonly<Record<string, string>> | undefined): void {
  if (!map) return;
  for (const key of Object.keys(map)) {
    writer
      .uint32(tag)
      .fork()
      .uint32(10)
      .string(key)
      .uint32(18)
      .string(map[key] ?? '')
      .ldelim();
  }
}

export function strings(writer: Writer, tag: number, list: readonly string[] | undefined): void {
  if (list) for (const value of list) writer.uint32(tag).string(value);
}

export function messages<T>(
  writer: Writer,
  tag: number,
  list: readonly T[] | undefined,
  encode: (message: T, writer: Writer) => Writer,
): void {
  if (list) for (const value of list) encode(value, writer.uint32(tag).fork()).ldelim();
}

/** Writes an enum as the index of its name. The first name is the default and is omitted. */
export function putEnum(writer: Writer, tag: number, names: readonly string[], name: string): void {
  const number = names.indexOf(name);
  if (number < 0) throw new TypeError(`"${name}" is none of ${names.slice(0, 4).join(', ')}${names.length > 4 ? ', ...' : ''}`);
  if (number > 0) writer.uint32(tag).int32(number);
}

export function putDouble(writer: Writer, tag: number, value: number | undefined): void {
  if (value !== undefined && !Object.is(value, 0)) writer.uint32(tag).double(value);
}
