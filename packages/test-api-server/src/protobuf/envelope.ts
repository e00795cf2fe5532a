import { decodeUtf8, encodeUtf8, isObject } from '@nodeagent/api/helpers';
import { MessageReader, MessageWriter, wireTypes } from '@nodeagent/protobuf';
import { typeOfKind } from '../fields/built-in-types.js';
import { InvalidEnvelope, InvalidProtobuf, inWordsOfGo, readObject, UnknownKind } from './decode.js';
import { putSized } from './encode.js';

/** A kind with its group and version. */
export interface KindName {
  apiVersion: string;
  kind: string;
}

const magic = encodeUtf8('k8s\0');
/** Maximum number of envelopes inside of each other: an object in a list in a watch event has two. */
const maxEnvelopes = 8;

const tag = (number: number) => 8 * number + wireTypes.bytes;
const nothing = new Uint8Array();

/** Whether bytes start as an envelope does. */
const isEnvelope = (bytes: Uint8Array): boolean => magic.every((byte, index) => bytes[index] === byte);

/**
 * Decodes an object of a built-in kind: Kubernetes documentation, "API Concepts: Kubernetes Protobuf encoding". An envelope without a kind or
 * a version has the expected ones. Throws {@link InvalidProtobuf}.
 */
export function decodeObject(bytes: Uint8Array, expected?: KindName, envelopes = 0): Record<string, unknown> & KindName {
  if (envelopes > maxEnvelopes) throw new InvalidProtobuf('too many envelopes inside of each other');
  const { apiVersion, kind, raw } = withDefaults(openEnvelope(bytes), expected);
  if (kind === '') throw new InvalidProtobuf("Object 'Kind' is missing in the envelope");
  if (apiVersion === '') throw new InvalidProtobuf("Object 'apiVersion' is missing in the envelope");
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined) throw new UnknownKind(apiVersion, kind);
  const readRaw = (inner: Uint8Array): unknown =>
    isEnvelope(inner) ? decodeObject(inner, undefined, envelopes + 1) : JSON.parse(decodeUtf8(inner));
  return { apiVersion, kind, ...readObject(type, raw, readRaw) };
}

type Envelope = KindName & { raw: Uint8Array };

function withDefaults({ apiVersion, kind, raw }: Envelope, expected: KindName | undefined): Envelope {
  return { apiVersion: apiVersion || (expected?.apiVersion ?? ''), kind: kind || (expected?.kind ?? ''), raw };
}

/** The kind of an envelope, which may have none, and the bytes in it. */
function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new InvalidEnvelope('empty data');
  if (!isEnvelope(bytes)) {
    throw new InvalidEnvelope(`provided data does not appear to be a protobuf message, expected prefix [${magic.join(' ')}]`);
  }
  if (bytes.length === magic.length) throw new InvalidEnvelope('empty body');
  const fields = bytesByNumber(bytes.subarray(magic.length));
  const type = bytesByNumber(fields.get(1) ?? nothing);
  const textOf = (number: number) => decodeUtf8(type.get(number) ?? nothing);
  return { apiVersion: textOf(1), kind: textOf(2), raw: fields.get(2) ?? nothing };
}

function bytesByNumber(bytes: Uint8Array): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  try {
    const reader = new MessageReader(bytes);
    while (reader.position < reader.length) {
      const next = reader.tag();
      if ((next & 7) === wireTypes.bytes) fields.set(next >>> 3, reader.view());
      else reader.skip(next);
    }
  } catch (error) {
    const known = inWordsOfGo(error);
    throw known instanceof InvalidProtobuf ? new InvalidEnvelope(known.message) : known;
  }
  return fields;
}

/** Whether objects of this kind have a protobuf encoding. */
export const hasProtobuf = ({ apiVersion, kind }: Partial<KindName>): boolean => typeOfKind(apiVersion ?? '', kind ?? '') !== undefined;

/** Writes an object in its envelope. Throws an {@link InvalidProtobuf} if its kind has no protobuf encoding. */
function putEnvelope(writer: MessageWriter, object: unknown): void {
  const { apiVersion = '', kind = '' } = (isObject(object) ? object : {}) as Partial<KindName>;
  const type = typeOfKind(apiVersion, kind);
  if (type === undefined) throw new InvalidProtobuf(`objects of ${apiVersion}, Kind=${kind} have no protobuf encoding`);
  for (const byte of magic) writer.uint32(byte);
  writer.uint32(tag(1)).begin().uint32(tag(1)).string(apiVersion).uint32(tag(2)).string(kind).end();
  putSized(writer.uint32(tag(2)), type, object as Record<string, unknown>);
  // The encoding and the type of the content are empty.
  writer.uint32(tag(3)).string('').uint32(tag(4)).string('');
}

/** An object in its envelope. */
export function encodeObject(object: unknown): Uint8Array {
  const writer = new MessageWriter();
  putEnvelope(writer, object);
  return writer.finish();
}

/** A frame of a watch: the size of the event in four bytes, then the event, with the object in its envelope. */
export function encodeEvent(type: string, object: unknown): Uint8Array {
  const writer = new MessageWriter();
  writer.uint32(tag(1)).string(type);
  writer.uint32(tag(2)).begin().uint32(tag(1)).begin();
  putEnvelope(writer, object);
  const event = writer.end().end().finish();
  const frame = new Uint8Array(4 + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, 4);
  return frame;
}
