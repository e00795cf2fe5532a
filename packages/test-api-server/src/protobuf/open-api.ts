import { isObject } from '@nodeagent/api/helpers';
import { MessageWriter, wireTypes } from '@nodeagent/protobuf';

type Json = Readonly<Record<string, unknown>>;

/** The fields of a schema by their kind, with their numbers in `openapi.v2.Schema`: gnostic, "OpenAPIv2.proto". */
const texts = { $ref: 1, format: 2, title: 3, description: 4, pattern: 13, discriminator: 26 };
const doubles = { multipleOf: 6, maximum: 7, minimum: 9 };
const booleans = { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16, readOnly: 27 };
const integers = { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15, maxProperties: 17, minProperties: 18 };

const bytesTag = (number: number) => 8 * number + wireTypes.bytes;

/** Encodes a document of OpenAPI 2 with schemas, but without operations, as `openapi.v2.Document`, which clients in Go request. */
export function encodeOpenApi(document: Json): Uint8Array {
  const { swagger, info, definitions } = document as { swagger: string; info: Json; definitions: Json };
  const writer = new MessageWriter();
  putText(writer, 1, swagger);
  putMessage(writer, 2, () => {
    putText(writer, 1, info.title);
    putText(writer, 2, info.version);
  });
  putMessage(writer, 8, () => {});
  putNamedSchemas(writer, 9, definitions);
  return writer.finish();
}

function putMessage(writer: MessageWriter, number: number, fields: () => void): void {
  writer.uint32(bytesTag(number)).begin();
  fields();
  writer.end();
}

function putText(writer: MessageWriter, number: number, value: unknown): void {
  if (typeof value === 'string') writer.uint32(bytesTag(number)).string(value);
}

function putNamedSchemas(writer: MessageWriter, number: number, schemas: Json): void {
  putMessage(writer, number, () => {
    for (const [name, schema] of Object.entries(schemas)) {
      putMessage(writer, 1, () => {
        putText(writer, 1, name);
        putSchema(writer, 2, schema);
      });
    }
  });
}

/** A value of any type, which is YAML. */
const putAny = (writer: MessageWriter, number: number, value: unknown): void =>
  putMessage(writer, number, () => putText(writer, 2, JSON.stringify(value)));

function putSchema(writer: MessageWriter, number: number, schema: unknown): void {
  if (!isObject(schema)) return;
  putMessage(writer, number, () => {
    putScalars(writer, schema);
    if (schema.default !== undefined) putAny(writer, 5, schema.default);
    for (const name of textsOf(schema.required)) putText(writer, 19, name);
    if (Array.isArray(schema.enum)) for (const value of schema.enum) putAny(writer, 20, value);
    putAdditional(writer, schema.additionalProperties);
    if (schema.type !== undefined) putTypes(writer, textsOf(schema.type));
    if (schema.items !== undefined) putMessage(writer, 23, () => putSchema(writer, 1, schema.items));
    if (Array.isArray(schema.allOf)) for (const each of schema.allOf) putSchema(writer, 24, each);
    if (isObject(schema.properties)) putNamedSchemas(writer, 25, schema.properties);
    for (const [name, value] of Object.entries(schema)) {
      if (!name.startsWith('x-')) continue;
      putMessage(writer, 31, () => {
        putText(writer, 1, name);
        putAny(writer, 2, value);
      });
    }
  });
}

const putTypes = (writer: MessageWriter, types: readonly string[]): void =>
  putMessage(writer, 22, () => {
    for (const type of types) putText(writer, 1, type);
  });

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

function putScalars(writer: MessageWriter, schema: Json): void {
  for (const [field, number] of Object.entries(texts)) putText(writer, number, schema[field]);
  for (const [field, number] of Object.entries(doubles)) {
    const value = schema[field];
    if (typeof value === 'number') writer.uint32(8 * number + wireTypes.fixed64).double(value);
  }
  for (const [field, number] of Object.entries({ ...integers, ...booleans })) {
    const value = schema[field];
    if (typeof value === 'number' || value === true) writer.uint32(8 * number + wireTypes.varint).int64(Number(value));
  }
}

function putAdditional(writer: MessageWriter, value: unknown): void {
  if (typeof value === 'boolean') putMessage(writer, 21, () => writer.uint32(16 + wireTypes.varint).bool(value));
  else if (isObject(value)) putMessage(writer, 21, () => putSchema(writer, 1, value));
}
