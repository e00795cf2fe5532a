import { decodeUtf8, formatDuration, parseDuration, Quantity } from '@nodeagent/api/helpers';
import { type MessageReader, type MessageWriter, wireTypes } from '@nodeagent/protobuf';
import type { ValueKind } from '../fields/object-type.js';

/*
 * The values that have a message of their kind in protobuf and a text, a number or any JSON in JSON: `Time`, `MicroTime`, `Duration`,
 * `Quantity`, `IntOrString`, `RawExtension`, `FieldsV1` and lists as values of a map. Kubernetes API reference, "Common Definitions".
 */

const nanosPerMs = 1_000_000;

/** The wire type of a value. */
export function wireTypeOf(kind: ValueKind): number {
  if (kind === 'int' || kind === 'bool') return wireTypes.varint;
  return kind === 'double' ? wireTypes.fixed64 : wireTypes.bytes;
}

const tag = (number: number, type: number) => 8 * number + type;
const first = { varint: tag(1, wireTypes.varint), bytes: tag(1, wireTypes.bytes) };
const second = { varint: tag(2, wireTypes.varint), bytes: tag(2, wireTypes.bytes) };
const third = { bytes: tag(3, wireTypes.bytes) };

/** Writes the content of a message whose only field is a list of texts. */
function putTexts(writer: MessageWriter, value: unknown): void {
  for (const text of Array.isArray(value) ? value : []) writer.uint32(first.bytes).string(String(text));
}

/** Seconds of the last time, because objects of a list have many equal ones. */
let last = { text: '', ms: 0 };

function millisecondsOf(text: string): number {
  if (text !== last.text) last = { text, ms: Date.parse(text) };
  return last.ms;
}

function putTime(writer: MessageWriter, value: unknown, kind: ValueKind): void {
  const ms = millisecondsOf(String(value));
  if (Number.isNaN(ms)) return;
  writer.uint32(first.varint).int64(Math.floor(ms / 1000));
  const micros = kind === 'microTime' ? Number(/\.(\d{1,6})/.exec(String(value))?.[1]?.padEnd(6, '0') ?? 0) : 0;
  if (micros > 0) writer.uint32(second.varint).int64(micros * 1000);
}

function putIntOrString(writer: MessageWriter, value: unknown): void {
  if (typeof value === 'number') writer.uint32(first.varint).int64(0).uint32(second.varint).int64(Math.trunc(value));
  else writer.uint32(first.varint).int64(1).uint32(third.bytes).string(String(value));
}

/** Writes a value of a kind that is a message, without its length. */
export function putMessageValue(writer: MessageWriter, kind: ValueKind, value: unknown): void {
  if (kind === 'time' || kind === 'microTime') putTime(writer, value, kind);
  else if (kind === 'quantity') writer.uint32(first.bytes).string(String(value));
  else if (kind === 'intOrString') putIntOrString(writer, value);
  else if (kind === 'stringList') putTexts(writer, value);
  else if (kind === 'duration') writer.uint32(first.varint).int64(Math.round((parseDuration(String(value)) ?? 0) * nanosPerMs));
  else writer.uint32(first.bytes).string(JSON.stringify(value));
}

/** The fields of a message with at most one field of each number. Reads until `end`. */
function readFields(reader: MessageReader, end: number): Map<number, bigint | Uint8Array> {
  const fields = new Map<number, bigint | Uint8Array>();
  while (reader.position < end) {
    const next = reader.tag();
    const type = next & 7;
    if (type === wireTypes.varint) fields.set(next >>> 3, reader.int64());
    else if (type === wireTypes.bytes) fields.set(next >>> 3, reader.view());
    else reader.skip(next);
  }
  return fields;
}

const textOf = (value: bigint | Uint8Array | undefined) => (value instanceof Uint8Array ? decodeUtf8(value) : '');
const numberOf = (value: bigint | Uint8Array | undefined) => (typeof value === 'bigint' ? Number(value) : 0);

/** RFC 3339; null for the zero time, which has no fields. */
function readTime(fields: ReturnType<typeof readFields>, kind: ValueKind): string | null {
  if (fields.size === 0) return null;
  const date = new Date(numberOf(fields.get(1)) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw new RangeError('a time is out of range');
  const micros = Math.floor(numberOf(fields.get(2)) / 1000);
  const seconds = date.toISOString().slice(0, -'.000Z'.length);
  return kind === 'time' ? `${seconds}Z` : `${seconds}.${String(micros).padStart(6, '0')}Z`;
}

function readTexts(reader: MessageReader, end: number): string[] {
  const texts: string[] = [];
  while (reader.position < end) {
    const next = reader.tag();
    if (next === first.bytes) texts.push(reader.string());
    else reader.skip(next);
  }
  return texts;
}

/** Reads a value of a kind that is a message and ends at `end`. `readRaw`: reads the bytes of an object of any kind. */
export function readMessageValue(reader: MessageReader, kind: ValueKind, end: number, readRaw: (bytes: Uint8Array) => unknown): unknown {
  if (kind === 'stringList') return readTexts(reader, end);
  const fields = readFields(reader, end);
  switch (kind) {
    case 'time':
    case 'microTime':
      return readTime(fields, kind);
    case 'duration':
      return formatDuration(numberOf(fields.get(1)) / nanosPerMs);
    case 'quantity': {
      const text = textOf(fields.get(1)) || '0';
      Quantity.parse(text);
      return text;
    }
    case 'intOrString':
      return numberOf(fields.get(1)) === 1 ? textOf(fields.get(3)) : numberOf(fields.get(2));
    default: {
      const raw = fields.get(1);
      return raw instanceof Uint8Array && raw.length > 0 ? readRaw(raw) : null;
    }
  }
}
