import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { definition, definitions, withSpec } from './definitions.fixture.js';

interface Document {
  components?: { schemas: Record<string, Schema> };
  definitions?: Record<string, Schema>;
}
interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}

const schema = {
  ...withSpec({
    size: { type: 'integer', default: 1, description: 'Its size.' },
    maybe: { type: 'string', nullable: true },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { a: { type: 'string' } } },
    either: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
  }),
  description: 'A widget.',
};

async function published() {
  const kit = setUp();
  const v3 = async (path: string) => ((await kit.call('GET', `/openapi/v3/apis/${path}`)).body as Document).components?.schemas ?? {};
  const v2 = async () => ((await kit.call('GET', '/openapi/v2')).body as Document).definitions ?? {};
  return { ...kit, v2, v3 };
}

describe('OpenAPI of custom resources', () => {
  it('has the schema of a version, with the fields of all objects', async () => {
    const { call, v2, v3 } = await published();
    await call('POST', definitions, definition(schema));
    const three = (await v3('example.com/v1'))['com.example.v1.Widget'];
    expect(three).toMatchObject({
      ...schema,
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Widget' }],
    });
    expect(three?.properties?.metadata).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
      description: expect.stringContaining("Standard object's metadata"),
    });
    const two = (await v2())['com.example.v1.Widget'];
    expect(two).toMatchObject({ type: 'object', description: 'A widget.' });
    expect(two?.properties?.spec?.properties).toEqual({
      size: { type: 'integer', description: 'Its size.' },
      maybe: {},
      free: { 'x-kubernetes-preserve-unknown-fields': true },
      either: { 'x-kubernetes-int-or-string': true },
    });
    expect((await v2())['com.example.v1.WidgetList']?.properties?.items).toMatchObject({
      type: 'array',
      items: { $ref: '#/definitions/com.example.v1.Widget' },
    });
  });

  it('accepts any field of a schema that preserves unknown ones at its root', async () => {
    const { call, v2, v3 } = await published();
    const open = {
      type: 'object',
      description: 'Any widget.',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { spec: { type: 'object' } },
    };
    await call('POST', definitions, definition(open));
    const identity = [{ group: 'example.com', version: 'v1', kind: 'Widget' }];
    expect((await v2())['com.example.v1.Widget']).toEqual({ type: 'object', 'x-kubernetes-group-version-kind': identity });
    expect((await v3('example.com/v1'))['com.example.v1.Widget']).toMatchObject(open);
  });

  it('requires no nullable field in version 2, and has the fields of all objects in embedded ones', async () => {
    const { call, v2, v3 } = await published();
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } };
    const open = { ...embedded, 'x-kubernetes-preserve-unknown-fields': true };
    const value = { type: 'string', nullable: true };
    const spec = { type: 'object', required: ['maybe', 'size'], properties: { maybe: value, size: { type: 'integer' } } };
    const map = { type: 'object', required: ['a'], additionalProperties: value };
    await call('POST', definitions, definition({ type: 'object', properties: { spec, map, embedded, open } }));
    const two = (await v2())['com.example.v1.Widget']?.properties;
    expect([two?.spec?.required, two?.map]).toEqual([['size'], { type: 'object', additionalProperties: {} }]);
    expect(two?.open).toEqual({ 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true });
    const three = (await v3('example.com/v1'))['com.example.v1.Widget']?.properties;
    for (const each of [two?.embedded, three?.embedded, three?.open]) {
      expect(Object.keys(each?.properties ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
      expect(each?.required).toEqual(['kind', 'apiVersion']);
    }
  });

  it('follows changes of definitions: kinds, groups and versions', async () => {
    const { call, patch, v2, v3 } = await published();
    const version = (name: string, storage = false, served = true) => ({ name, storage, served, schema: { openAPIV3Schema: schema } });
    await call('POST', definitions, definition(undefined, {}, { versions: [version('v2', true), version('v3')] }));
    const gadgets = {
      ...definition(schema, {}, { names: { plural: 'gadgets', kind: 'Gadget' } }),
      metadata: { name: 'gadgets.example.com' },
    };
    await call('POST', definitions, gadgets);
    const other = { ...definition(schema, {}, { group: 'other.com' }), metadata: { name: 'widgets.other.com' } };
    await call('POST', definitions, other);
    const names = async () =>
      Object.keys(await v2())
        .filter((name) => /^com\.(?:example|other)/.test(name) && !name.endsWith('List'))
        .sort();
    expect(await names()).toEqual(['com.example.v1.Gadget', 'com.example.v2.Widget', 'com.example.v3.Widget', 'com.other.v1.Widget']);
    const at = `${definitions}/widgets.example.com`;
    await patch(at, { spec: { versions: [version('v2', true), version('v4')] } });
    expect(await names()).toEqual(['com.example.v1.Gadget', 'com.example.v2.Widget', 'com.example.v4.Widget', 'com.other.v1.Widget']);
    await patch(at, { spec: { versions: [version('v2', true), version('v4', false, false)] } });
    expect(await names()).toEqual(['com.example.v1.Gadget', 'com.example.v2.Widget', 'com.other.v1.Widget']);
    expect(Object.keys(await v3('example.com/v2'))).toContain('com.example.v2.Widget');
    await call('DELETE', at);
    expect(await names()).toEqual(['com.example.v1.Gadget', 'com.other.v1.Widget']);
  });

  it('is in the discovery documents', async () => {
    const { call } = await published();
    const groups = (await call('GET', '/apis')).body.groups as { name: string }[];
    expect(groups.map(({ name }) => name)).toContain('apiextensions.k8s.io');
    const { resources } = (await call('GET', '/apis/apiextensions.k8s.io/v1')).body;
    expect(resources.map(({ name }: { name: string }) => name)).toContain('customresourcedefinitions');
    await call(
      'POST',
      definitions,
      definition(schema, { subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } } }),
    );
    const own = (await call('GET', '/apis/example.com/v1')).body.resources as { name: string }[];
    expect(own.map(({ name }) => name)).toEqual(['widgets', 'widgets/status', 'widgets/scale']);
  });
});
