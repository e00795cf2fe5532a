import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { definition, definitions, widget, widgets, withSpec } from './definitions.fixture.js';
import { loadCel } from './rules-loader.js';

async function withDefinition(schema: unknown, version: Record<string, unknown> = {}) {
  const kit = setUp();
  const { status, body } = await kit.call('POST', definitions, definition(schema, version));
  expect(status, body.message).toBe(201);
  const create = async (spec: unknown) => (await kit.call('POST', widgets, widget('a', spec))).body;
  const change = async (spec: unknown) => (await kit.patch(`${widgets}/a`, { spec })).body;
  return { ...kit, create, change };
}

const ruled = (properties: Record<string, unknown>, ...rules: Record<string, unknown>[]) =>
  withSpec(properties, { 'x-kubernetes-validations': rules });
const integer = { type: 'integer' };

describe('custom objects', () => {
  it('get the defaults of requests and those that a later schema adds', async () => {
    const { call, patch, create } = await withDefinition(withSpec({ a: { type: 'string', default: 'A' } }));
    expect((await create({})).spec).toEqual({ a: 'A' });
    const later = withSpec({ a: { type: 'string', default: 'A' }, b: { type: 'string', default: 'B' } });
    await patch(`${definitions}/widgets.example.com`, { spec: { versions: definition(later).spec.versions } });
    expect((await call('GET', `${widgets}/a`)).body.spec).toEqual({ a: 'A', b: 'B' });
    expect((await call('GET', widgets)).body.items[0].spec).toEqual({ a: 'A', b: 'B' });
    expect((await patch(`${widgets}/a`, { spec: { a: null } })).body.spec).toEqual({ a: 'A', b: 'B' });
  });

  it('lose unknown fields, except those of embedded and open objects', async () => {
    const { call } = await withDefinition(
      withSpec({
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'object', properties: { a: integer } } },
        },
        template: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } },
      }),
    );
    const spec = {
      other: 1,
      open: { any: 1, known: { a: 1, b: 2 } },
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } }, spec: { c: 1 }, d: 1 },
    };
    const created = await call('POST', `${widgets}?fieldValidation=Warn`, widget('a', spec));
    expect(created.body.spec).toEqual({
      open: { any: 1, known: { a: 1 } },
      template: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', labels: { a: 'b' } }, spec: {} },
    });
    expect(created.headers.warning).toContain('unknown field \\"spec.template.d\\"');
    const refused = await call('POST', widgets, widget('b', { template: { kind: 'Pod', metadata: { name: 'Bad' } } }));
    expect(refused.body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'spec.template.apiVersion',
      'spec.template.metadata.name',
    ]);
  });

  it('have no duplicates in sets and lists with keys', async () => {
    const items = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: integer } };
    const { create } = await withDefinition(
      withSpec({
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        map: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'], items },
      }),
    );
    const { details } = await create({
      set: ['a', 'b', 'a'],
      map: [
        { k: 'x', v: 1 },
        { k: 'x', v: 2 },
      ],
    });
    expect(details.causes).toEqual([
      { reason: 'FieldValueDuplicate', message: 'Duplicate value: "a"', field: 'spec.set[2]' },
      { reason: 'FieldValueDuplicate', message: 'Duplicate value: {"k":"x"}', field: 'spec.map[1]' },
    ]);
  });

  it('are validated by rules, with messages, reasons and field paths', async () => {
    const { create, change } = await withDefinition(
      ruled(
        { min: integer, max: integer, name: { type: 'string', maxLength: 20 } },
        { rule: 'self.min <= self.max', messageExpression: 'self.min == 1 ? "min 1 exceeds 0" : "min 3 exceeds 2"' },
        {
          rule: '!has(self.name) || self.name.startsWith("w")',
          message: 'must start with w',
          fieldPath: '.name',
          reason: 'FieldValueForbidden',
        },
      ),
    );
    const refused = await create({ min: 3, max: 2, name: 'x' });
    expect(refused).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(refused.details.causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'Invalid value: "object": min 3 exceeds 2', field: 'spec' },
      { reason: 'FieldValueForbidden', message: 'Forbidden: must start with w', field: 'spec.name' },
    ]);
    expect((await create({ min: 1, max: 2 })).spec).toEqual({ min: 1, max: 2 });
    expect((await change({ max: 0 })).message).toContain('min 1 exceeds 0');
    expect((await change({ max: null })).message).toContain('no such key: max evaluating rule: self.min <= self.max');
  });

  it('are compared with the object before by transition rules', async () => {
    const { create, change } = await withDefinition(
      ruled(
        { size: { ...integer, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf', message: 'cannot shrink' }] }, first: integer },
        { rule: 'oldSelf.hasValue() || self.size < 5', optionalOldSelf: true, message: 'starts small' },
      ),
    );
    expect((await create({ size: 9 })).message).toContain('starts small');
    await create({ size: 2 });
    expect((await change({ size: 9 })).spec).toEqual({ size: 9 });
    expect((await change({ size: 1 })).message).toContain('spec.size: Invalid value: "integer": cannot shrink');
  });

  it('name a value of a map by its key when it breaks a rule', async () => {
    const value = { type: 'object', properties: { a: { ...integer, 'x-kubernetes-validations': [{ rule: 'self > 1' }] } } };
    const { create } = await withDefinition(withSpec({ map: { type: 'object', additionalProperties: value } }));
    expect((await create({ map: { x: { a: 1 } } })).message).toContain('spec.map[x].a: Invalid value');
  });

  it('may keep what an update does not change although the schema has become stricter', async () => {
    const { patch, create, change } = await withDefinition(withSpec({ a: { type: 'string' }, b: { type: 'string' } }));
    await create({ a: 'long', b: 'x' });
    const strict = ruled({
      a: { type: 'string', maxLength: 2 },
      b: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == "y"' }] },
    });
    await patch(`${definitions}/widgets.example.com`, { spec: { versions: definition(strict).spec.versions } });
    expect((await patch(`${widgets}/a`, { metadata: { labels: { l: 'm' } } })).status).toBe(200);
    expect((await change({ b: 'y' })).spec).toEqual({ a: 'long', b: 'y' });
    expect((await change({ a: 'other' })).message).toContain('spec.a: Too long: may not be more than 2 bytes');
  });

  it('stop the evaluation of rules at their budget', async () => {
    const { create } = await withDefinition(
      ruled({ a: { type: 'array', maxItems: 300, items: integer } }, { rule: 'self.a.all(x, self.a.all(y, x + y > 0))' }),
    );
    expect((await create({ a: Array.from({ length: 300 }, () => 1) })).spec.a).toHaveLength(300);
    const { message } = await (
      await withDefinition(
        ruled({ a: { type: 'array', maxItems: 450, items: integer } }, { rule: 'self.a.all(x, self.a.all(y, x + y > 0))' }),
      )
    ).create({ a: Array.from({ length: 450 }, () => 1) });
    expect(message).toContain('no further validation rules will be run');
  });

  it('are selected by their fields, printed by columns, scaled, and have a status', async () => {
    const { call, patch, create, watch } = await withDefinition(
      {
        ...withSpec({ color: { type: 'string' }, on: { type: 'boolean' }, replicas: integer }),
        properties: {
          ...withSpec({ color: { type: 'string' }, on: { type: 'boolean' }, replicas: integer }).properties,
          status: { type: 'object', properties: { replicas: integer, selector: { type: 'string' } } },
        },
      },
      {
        selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.on' }],
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
        },
      },
    );
    await create({ color: 'blue', on: true, replicas: 1 });
    await call('POST', widgets, widget('b', { color: 'green', on: false }, { status: { replicas: 7 } }));
    const names = async (selector: string) =>
      (await call('GET', `${widgets}?fieldSelector=${encodeURIComponent(selector)}`)).body.items.map(
        (each: { metadata: { name: string } }) => each.metadata.name,
      );
    expect(await names('spec.color=blue')).toEqual(['a']);
    expect(await names('spec.on=false')).toEqual(['b']);
    expect(await names('spec.color!=blue,spec.on=false')).toEqual(['b']);
    const { seen, abort } = await watch(`${widgets}?watch=true&fieldSelector=spec.color%3Dblue`);
    await patch(`${widgets}/b`, { spec: { color: 'blue' } });
    await patch(`${widgets}/a`, { spec: { color: 'red' } });
    await new Promise(setImmediate);
    abort();
    expect(seen()).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
    const table = await call('GET', `${widgets}/a`, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.rows[0].cells).toEqual(['a', 'red']);
    expect((await call('GET', `${widgets}/b`)).body.status).toBeUndefined();
    const status = await patch(`${widgets}/a/status`, { spec: { color: 'x' }, status: { replicas: 1, selector: 'a=b' } });
    expect(status.body).toMatchObject({ spec: { color: 'red' }, status: { replicas: 1 }, metadata: { generation: 2 } });
    const scaled = await patch(`${widgets}/a/scale`, { spec: { replicas: 4 } });
    expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 4 }, status: { replicas: 1, selector: 'a=b' } });
    expect((await call('GET', `${widgets}/a`)).body.metadata.generation).toBe(3);
    expect((await patch(`${widgets}/a/status`, { status: { replicas: 'x' } })).body.message).toContain(
      'status.replicas: Invalid value: "string": must be of type integer',
    );
  });

  it('need CEL to be loaded for rules without a request', async () => {
    const { server } = setUp();
    await loadCel();
    server.objects.create(definition(ruled({ a: integer }, { rule: 'self.a > 0' })));
    expect(() => server.objects.create(widget('a', { a: 0 }))).toThrow('failed rule: self.a > 0');
  });
});
