import { apiStatusOf } from '@nodeagent/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builtInSchema } from './built-in-schemas.js';
import { customSchema } from './custom-schema.js';
import type { JsonObject } from './field-schema.js';
import { type ApplyRequest, serverSideApply, trackUpdate } from './server-side-apply.js';

const schema = builtInSchema('apps/v1', 'Deployment');
const [now, later] = [Date.parse('2026-01-01T00:00:00Z'), Date.parse('2026-01-01T00:01:00Z')];
const apiVersion = 'apps/v1';

const deployment = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'ns', ...metadata },
  spec,
});
const withContainers = (...containers: JsonObject[]) => deployment({ template: { spec: { containers } } });

function apply(live: JsonObject | undefined, applied: JsonObject, manager = 'me', more: Partial<ApplyRequest> = {}): JsonObject {
  return serverSideApply({ ...(live && { live }), applied, manager, apiVersion, schema, now, ...more });
}

const update = (before: JsonObject | undefined, after: JsonObject, manager = 'editor', more: { subresource?: string; now?: number } = {}) =>
  trackUpdate({ ...(before && { before }), after, manager, apiVersion, schema, now, ...more });

interface Entry {
  manager: string;
  operation: string;
  time: string;
  fieldsV1: JsonObject;
}
const entriesOf = (object: JsonObject) => ((object.metadata as { managedFields?: Entry[] }).managedFields ?? []) as Entry[];
const managersOf = (object: JsonObject) => Object.fromEntries(entriesOf(object).map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
const containersOf = (object: JsonObject) => (object.spec as { template: { spec: { containers: JsonObject[] } } }).template.spec.containers;

function refusal(act: () => unknown) {
  try {
    act();
  } catch (error) {
    return apiStatusOf(error);
  }
  return undefined;
}

describe('serverSideApply', () => {
  it('creates an object with managed fields', () => {
    const applied = deployment(
      {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: { spec: { containers: [{ name: 'a', image: 'a:1', ports: [{ containerPort: 80 }] }] } },
      },
      { labels: { app: 'web' }, finalizers: ['x/y'], creationTimestamp: null },
    );
    const created = apply(undefined, applied);
    const { managedFields, ...metadata } = created.metadata as { managedFields: unknown[] };
    expect(metadata).toEqual({ name: 'web', namespace: 'ns', labels: { app: 'web' }, finalizers: ['x/y'] });
    expect(managedFields).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion,
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:finalizers': { 'v:"x/y"': {} }, 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:spec': {
                'f:containers': {
                  'k:{"name":"a"}': {
                    '.': {},
                    'f:image': {},
                    'f:name': {},
                    'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
                  },
                },
              },
            },
          },
        },
      },
    ]);
  });

  it('merges lists by key in the applied order, and keeps other elements', () => {
    const live = update(undefined, withContainers({ name: 'a', image: 'a:1' }, { name: 'x', image: 'x:1' }, { name: 'b', image: 'b:1' }));
    const result = apply(live, withContainers({ name: 'n', image: 'n:1' }, { name: 'b', args: ['1'] }, { name: 'a', args: ['2'] }));
    expect(containersOf(result)).toEqual([
      { name: 'n', image: 'n:1' },
      { name: 'b', image: 'b:1', args: ['1'] },
      { name: 'a', image: 'a:1', args: ['2'] },
      { name: 'x', image: 'x:1' },
    ]);
  });

  it('rejects changes of fields of another manager, and names each field', () => {
    const live = apply(undefined, deployment({ replicas: 1 }), 'first');
    const status = refusal(() => apply(live, deployment({ replicas: 2 })));
    expect(status).toEqual({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "first": .spec.replicas',
      causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "first"', field: '.spec.replicas' }],
    });
    const edited = update(live, {
      ...withContainers({ name: 'a', image: 'a:2' }),
      spec: { ...(withContainers({ name: 'a', image: 'a:2' }).spec as object), replicas: 1 },
    });
    const both = refusal(() =>
      apply(edited, deployment({ replicas: 3, template: { spec: { containers: [{ name: 'a', image: 'a:3' }] } } })),
    );
    expect(both?.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "editor" using apps/v1:\n' +
        '- .spec.template.spec.containers[name="a"].image\n' +
        'conflicts with "first":\n- .spec.replicas',
    );
  });

  it('shares fields with the same value, and takes the others with force', () => {
    const live = apply(undefined, deployment({ replicas: 1, paused: true }), 'first');
    const shared = apply(live, deployment({ replicas: 1 }));
    expect(managersOf(shared)).toEqual({
      first: { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
      me: { 'f:spec': { 'f:replicas': {} } },
    });
    const forced = apply(shared, deployment({ replicas: 2 }), 'me', { force: true });
    expect(forced.spec).toEqual({ replicas: 2, paused: true });
    expect(managersOf(forced)).toEqual({ first: { 'f:spec': { 'f:paused': {} } }, me: { 'f:spec': { 'f:replicas': {} } } });
  });

  it('removes fields that it gave up, unless another manager owns them or a part of them', () => {
    const mine = apply(undefined, { ...withContainers({ name: 'a', image: 'a:1' }, { name: 'b', image: 'b:1' }) });
    const defaulted = {
      ...mine,
      spec: { template: { spec: { containers: containersOf(mine).map((c) => ({ ...c, imagePullPolicy: 'Always' })) } } },
    };
    const theirs = apply(defaulted, withContainers({ name: 'b', tty: true }), 'other');
    const result = apply(theirs, deployment({ paused: true, template: { spec: {} } }));
    expect(containersOf(result)).toEqual([{ name: 'b', imagePullPolicy: 'Always', tty: true }]);
    const last = apply(
      apply(undefined, deployment({ replicas: 1 }, { labels: { a: '1', b: '2' } })),
      deployment({ replicas: 1 }, { labels: { b: '2' } }),
    );
    expect((last.metadata as JsonObject).labels).toEqual({ b: '2' });
  });

  it('keeps the identity and fields that it never applied', () => {
    const live = apply(undefined, deployment({ replicas: 1 }, { labels: { a: '1' } }));
    const stored = { ...live, metadata: { ...(live.metadata as object), uid: 'u', resourceVersion: '7' }, status: { replicas: 1 } };
    const result = apply(stored, deployment({ replicas: 1 }));
    expect(result.metadata).toMatchObject({ name: 'web', uid: 'u', resourceVersion: '7' });
    expect(result.metadata).not.toHaveProperty('labels');
    expect(result.status).toEqual({ replicas: 1 });
  });

  it('returns the same object if nothing changed', () => {
    const applied = deployment({ replicas: 1 });
    const live = apply(undefined, applied);
    expect(apply(live, applied, 'me', { now: later })).toBe(live);
  });

  it('assigns existing fields to before-first-apply', () => {
    const live = deployment({ replicas: 3, paused: true });
    expect(refusal(() => apply(live, deployment({ replicas: 1 })))?.message).toBe(
      'Apply failed with 1 conflict: conflict with "before-first-apply" using apps/v1: .spec.replicas',
    );
    expect(managersOf(apply(live, deployment({ replicas: 3 })))).toEqual({
      me: { 'f:spec': { 'f:replicas': {} } },
      'before-first-apply': { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
    });
  });

  it('distinguishes managers of a subresource from those of the object, and ignores fields outside of it', () => {
    const live = apply(undefined, { ...deployment({ replicas: 1 }), status: { replicas: 9 } }, 'me', { ignored: ['status'] });
    expect(live).not.toHaveProperty('status');
    const withStatus = apply(live, { ...deployment({ replicas: 5 }), status: { replicas: 1 } }, 'me', {
      subresource: 'status',
      ignored: ['spec'],
    });
    expect(withStatus).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1 } });
    expect(entriesOf(withStatus)).toMatchObject([{ fieldsV1: { 'f:spec': {} } }, { subresource: 'status', fieldsV1: { 'f:status': {} } }]);
  });

  it.each([
    [
      500,
      '(ns/web; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
      withContainers({ name: 'a' }, { name: 'a' }),
    ],
    [500, 'element 0: associative list with keys has an element that omits key field "name"', withContainers({ image: 'a' })],
    [400, 'metadata.managedFields must be nil', deployment({}, { managedFields: [{}] })],
  ])('refuses with %i: %s', (code, message, applied) => {
    const status = refusal(() => apply(undefined, applied));
    expect(status?.code).toBe(code);
    expect(status?.message).toContain(message);
  });
});

describe('trackUpdate', () => {
  it('records the fields of a creation', () => {
    const created = update(undefined, deployment({ replicas: 1 }, { labels: { a: '1' } }));
    expect(entriesOf(created)).toEqual([
      {
        manager: 'editor',
        operation: 'Update',
        apiVersion,
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:spec': { 'f:replicas': {} } },
      },
    ]);
  });

  it('assigns changed fields to their writer, and drops removed fields', () => {
    const live = apply(undefined, deployment({ replicas: 1, paused: true, minReadySeconds: 1 }));
    const edited = update(live, { ...live, spec: { replicas: 2, paused: true } });
    expect(managersOf(edited)).toEqual({ me: { 'f:spec': { 'f:paused': {} } }, editor: { 'f:spec': { 'f:replicas': {} } } });
  });

  it('keeps the managers if the request has none, and their time if nothing changed', () => {
    const live = update(undefined, deployment({ replicas: 1 }));
    expect(update(live, deployment({ replicas: 1 }), 'editor', { now: later })).toEqual(live);
    expect(entriesOf(update(live, deployment({ replicas: 2 }), 'editor', { now: later }))[0]?.time).toBe('2026-01-01T00:01:00Z');
  });

  it('clears all managers on request', () => {
    const live = update(undefined, deployment({ replicas: 1 }));
    expect(entriesOf(update(live, deployment({ replicas: 1 }, { managedFields: [{}] })))).toEqual([]);
  });
});

it('uses the list types of the CustomResourceDefinition', () => {
  const custom = customSchema({
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          rules: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['id', 'kind'],
            items: { type: 'object', properties: { kind: { type: 'string', default: 'a' } } },
          },
          tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
          plain: { type: 'array', items: { type: 'string' } },
          fixed: { type: 'object', 'x-kubernetes-map-type': 'atomic' },
        },
      },
    },
  });
  const widget = (spec: JsonObject) => ({ apiVersion: 'x.y/v1', kind: 'Widget', metadata: { name: 'w' }, spec });
  const one = serverSideApply({
    applied: widget({ rules: [{ id: 1 }], tags: ['a'], plain: ['a'], fixed: { a: 1 } }),
    manager: 'one',
    apiVersion: 'x.y/v1',
    schema: custom,
    now,
  });
  expect(managersOf(one).one).toEqual({
    'f:spec': { 'f:rules': { 'k:{"id":1,"kind":"a"}': { '.': {}, 'f:id': {} } }, 'f:tags': { 'v:"a"': {} }, 'f:plain': {}, 'f:fixed': {} },
  });
  const two = serverSideApply({
    live: one,
    applied: widget({ rules: [{ id: 2 }], tags: ['b'] }),
    manager: 'two',
    apiVersion: 'x.y/v1',
    schema: custom,
    now,
  });
  expect(two.spec).toEqual({ rules: [{ id: 1 }, { id: 2 }], tags: ['a', 'b'], plain: ['a'], fixed: { a: 1 } });
});

describe('for any objects', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const container = fc.record({ name, image: name, args: fc.array(name, { maxLength: 2 }) }, { requiredKeys: ['name'] });
  const wanted = fc
    .record(
      {
        replicas: fc.nat({ max: 3 }),
        paused: fc.boolean(),
        containers: fc.uniqueArray(container, { selector: (element) => element.name, maxLength: 3 }),
        labels: fc.dictionary(name, name),
      },
      { requiredKeys: [] },
    )
    .map(({ containers, labels, ...spec }) =>
      deployment({ ...spec, ...(containers?.length && { template: { spec: { containers } } }) }, { ...(labels && { labels }) }),
    );

  it('a single manager owns exactly the fields that it applied last', () => {
    fc.assert(
      fc.property(wanted, wanted, (first, second) => {
        const result = apply(apply(undefined, first), second);
        const { managedFields: _, ...metadata } = result.metadata as JsonObject;
        expect({ spec: {}, ...result, metadata }).toEqual(second);
        expect(apply(result, second, 'me', { now: later })).toBe(result);
      }),
    );
  });

  it('a manager never takes fields of another without force, and its values win with force', () => {
    fc.assert(
      fc.property(wanted, wanted, fc.boolean(), (first, second, force) => {
        const live = apply(undefined, first, 'first');
        const before = structuredClone(live);
        let result: JsonObject;
        try {
          result = apply(live, second, 'second', { force });
        } catch (error) {
          expect(apiStatusOf(error)?.code).toBe(409);
          expect(force).toBe(false);
          return;
        }
        expect(apply(result, second, 'second')).toBe(result);
        if (!force) expect(() => apply(result, first, 'first')).not.toThrow();
        expect(live).toEqual(before);
      }),
    );
  });
});
