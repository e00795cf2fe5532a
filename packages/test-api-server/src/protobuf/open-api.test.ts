import protobuf from 'protobufjs';
import { expect, it } from 'vitest';
import type { BytesBody } from '../requests/request.js';
import { setUp } from '../test-api-server.fixture.js';
import { encodeOpenApi } from './open-api.js';

const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** The part of gnostic's `OpenAPIv2.proto` that schemas use. */
const { root } = protobuf.parse(`
syntax = "proto3";
message Document { string swagger = 1; Info info = 2; Paths paths = 8; Definitions definitions = 9; }
message Info { string title = 1; string version = 2; }
message Paths {}
message Definitions { repeated NamedSchema additional_properties = 1; }
message NamedSchema { string name = 1; Schema value = 2; }
message Any { string yaml = 2; }
message NamedAny { string name = 1; Any value = 2; }
message AdditionalPropertiesItem { oneof item { Schema schema = 1; bool boolean = 2; } }
message TypeItem { repeated string value = 1; }
message ItemsItem { repeated Schema schema = 1; }
message Schema {
  string ref = 1; string format = 2; string title = 3; string description = 4; Any default = 5; double maximum = 7; bool exclusive_maximum = 8;
  double minimum = 9; int64 max_length = 11; string pattern = 13; bool unique_items = 16; repeated string required = 19; repeated Any enum = 20;
  AdditionalPropertiesItem additional_properties = 21; TypeItem type = 22; ItemsItem items = 23; Definitions properties = 25;
  repeated NamedAny vendor_extension = 31;
}`);
const decoded = (bytes: Uint8Array) => {
  const type = root.lookupType('Document');
  return type.toObject(type.decode(bytes), { longs: Number });
};

interface Named {
  name: string;
}

it('encodes the keywords of schemas', () => {
  const properties = {
    a: { type: 'string', enum: ['x', 'y'], default: 'x', maxLength: 3, pattern: '^x', description: 'what' },
    b: { type: 'array', uniqueItems: true, items: { $ref: '#/definitions/c' } },
    c: { type: 'object', additionalProperties: { type: 'integer', minimum: -1.5, maximum: 300, exclusiveMaximum: true } },
    d: { additionalProperties: false, 'x-kubernetes-list-map-keys': ['name'] },
  };
  const definitions = { t: { type: 'object', required: ['a'], properties } };
  const { additionalProperties } = decoded(encodeOpenApi({ swagger: '2.0', info: { title: 'T', version: 'v1' }, definitions })).definitions;
  const any = (value: unknown) => ({ yaml: JSON.stringify(value) });
  expect(additionalProperties).toEqual([
    {
      name: 't',
      value: {
        type: { value: ['object'] },
        required: ['a'],
        properties: {
          additionalProperties: [
            {
              name: 'a',
              value: {
                type: { value: ['string'] },
                enum: [any('x'), any('y')],
                default: any('x'),
                maxLength: 3,
                pattern: '^x',
                description: 'what',
              },
            },
            { name: 'b', value: { type: { value: ['array'] }, uniqueItems: true, items: { schema: [{ ref: '#/definitions/c' }] } } },
            {
              name: 'c',
              value: {
                type: { value: ['object'] },
                additionalProperties: { schema: { type: { value: ['integer'] }, minimum: -1.5, maximum: 300, exclusiveMaximum: true } },
              },
            },
            {
              name: 'd',
              value: {
                additionalProperties: { boolean: false },
                vendorExtension: [{ name: 'x-kubernetes-list-map-keys', value: any(['name']) }],
              },
            },
          ],
        },
      },
    },
  ]);
});

it('is what clients in Go get', async () => {
  const { server, call } = setUp();
  const { headers, body } = await server.handle({ url: '/openapi/v2', headers: { accept } });
  expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  const { swagger, definitions } = decoded((body as BytesBody).bytes);
  const json = (await call('GET', '/openapi/v2', undefined, { accept: `application/json,${accept}` })).body;
  expect([swagger, definitions.additionalProperties.map(({ name }: Named) => name)]).toEqual(['2.0', Object.keys(json.definitions)]);
  const known = { accept, 'if-none-match': headers.etag ?? '' };
  expect((await server.handle({ url: '/openapi/v2', headers: known })).status).toBe(304);
});
