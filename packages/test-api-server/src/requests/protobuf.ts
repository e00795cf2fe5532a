import { compareBytes, decodeUtf8, encodeBase64, encodeUtf8, formatTime } from '@nodeagent/api/helpers';
import { type RawField, rawFields, wireTypes } from '@nodeagent/protobuf';
import { unsupportedMediaType } from '../status.js';
import { type ProtobufField, protobufFields } from './protobuf-messages.js';

export const protobufType = 'application/vnd.kubernetes.protobuf';

const magic = encodeUtf8('k8s\0');
const scalars = ['string', 'bytes', 'int', 'bool', 'time', 'quantity', 'intOrString'];

/**
 * Decodes an object in Kubernetes' protobuf encoding (an envelope with the kind around the message). Throws 415 for unknown kinds
 * and fields instead of dropping them.
 */
export function decodeProtobuf(body: Uint8Array): Record<string, unknown> {
  if (compareBytes(body.subarray(0, magic.length), magic) !== 0) throw unsupportedMediaType(['application/json']);
  const envelope = new Map(readFields(body.subarray(magic.length)).map(({ number, value }) => [number, value]));
  const type = new Map(readFields(asBytes(envelope.get(1))).map(({ number, value }) => [number, textOf(value)]));
  const kind = type.get(2) ?? '';
  return { apiVersion: type.get(1) ?? '', kind, ...decodeMessage(kind, asBytes(envelope.get(2))) };
}

const asBytes = (value: bigint | Uint8Array | undefined) => (value instanceof Uint8Array ? value : new Uint8Array());
const textOf = (value: bigint | Uint8Array | undefined) => decodeUtf8(asBytes(value));

/** The fields of any message that has no fixed numbers: those of kubectl have none. */
function readFields(bytes: Uint8Array): RawField[] {
  try {
    const fields = rawFields(bytes);
    if (fields.every(({ type }) => type === wireTypes.varint || type === wireTypes.bytes)) return fields;
  } catch {
    // Not a message.
  }
  throw unsupportedMediaType(['application/json']);
}

function decodeMessage(message: string, bytes: Uint8Array): Record<string, unknown> {
  const known = protobufFields(message);
  if (known === undefined) throw unsupportedMediaType(['application/json']);
  const object: Record<string, unknown> = {};
  for (const { number, value } of readFields(bytes)) {
    const field = known.get(number);
    if (field === undefined) {
      if (hasContent(value)) throw unsupportedMediaType(['application/json']);
      continue;
    }
    if (field.container === 'map') addEntry(object, field, asBytes(value));
    else if (field.container === 'list') object[field.name] = [...((object[field.name] as unknown[]) ?? []), decodeValue(field, value)];
    else {
      const decoded = decodeValue(field, value);
      if (field.explicit || !isZero(decoded)) object[field.name] = decoded;
    }
  }
  return object;
}

/** Whether an unknown field has a value: Go writes zero fields, and messages of zero fields. */
function hasContent(value: bigint | Uint8Array): boolean {
  if (typeof value === 'bigint') return value !== 0n;
  return value.length > 0 && value.some((byte, index) => index % 2 === 1 && byte !== 0);
}

function isZero(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function addEntry(object: Record<string, unknown>, field: ProtobufField, bytes: Uint8Array): void {
  const entry = new Map(readFields(bytes).map(({ number, value }) => [number, value]));
  const map = (object[field.name] as Record<string, unknown> | undefined) ?? {};
  object[field.name] = { ...map, [textOf(entry.get(1))]: decodeValue(field, entry.get(2) ?? new Uint8Array()) };
}

function decodeValue({ type }: ProtobufField, value: bigint | Uint8Array): unknown {
  if (!scalars.includes(type)) return decodeMessage(type, asBytes(value));
  const parts = () => new Map(readFields(asBytes(value)).map((field) => [field.number, field.value]));
  switch (type) {
    case 'int':
      return Number(BigInt.asIntN(64, value as bigint));
    case 'bool':
      return value !== 0n;
    case 'bytes':
      return encodeBase64(asBytes(value));
    case 'time': {
      const seconds = parts().get(1);
      return seconds === undefined ? undefined : formatTime(Number(BigInt.asIntN(64, seconds as bigint)) * 1000);
    }
    case 'quantity':
      return parts().has(1) ? textOf(parts().get(1)) : '0';
    case 'intOrString': {
      const [kind, number, text] = [parts().get(1), parts().get(2), parts().get(3)];
      return kind === 1n ? textOf(text) : Number(number ?? 0n);
    }
    default:
      return textOf(value);
  }
}
