import * as client from '@kubernetes/client-node';
import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { builtInResources } from '../registry/built-in.js';
import { pod, pods, setUp } from '../test-api-server.fixture.js';
import { fieldsOfKind } from './built-in-types.js';
import { duplicateFields } from './duplicate-fields.js';
import type { ObjectType } from './object-type.js';

const wrong = (name: string) => {
  const { spec, ...rest } = pod(name);
  return { ...rest, spec: { ...spec, replica: 1, containers: [{ ...spec.containers[0], imagee: 'x' }] }, colour: 'red' };
};
const unknown = ['spec.replica', 'spec.containers[0].imagee', 'colour'];
const strict = (fields: readonly string[]) => `strict decoding error: ${fields.map((field) => `unknown field "${field}"`).join(', ')}`;

const byPath = (a: string, b: string) => (a < b ? -1 : 1);

describe('a write with unknown fields', () => {
  it('fails with fieldValidation=Strict', async () => {
    const { call } = setUp();
    const { status, body } = await call('POST', `${pods}?fieldValidation=Strict`, wrong('web'));
    expect([status, body.reason]).toEqual([400, 'BadRequest']);
    const problem = /^Pod in version "v1" cannot be handled as a Pod: strict decoding error: (.*)$/.exec(body.message)?.[1] ?? '';
    expect(problem.split(', ').sort(byPath)).toEqual(unknown.map((field) => `unknown field "${field}"`).sort(byPath));
    expect((await call('GET', `${pods}/web`)).status).toBe(404);
  });

  it.each(['', '?fieldValidation=Warn', '?fieldValidation='])('is stored without them and gets warnings with %j', async (query) => {
    const { call } = setUp();
    const { status, body, headers } = await call('POST', `${pods}${query}`, wrong('web'));
    expect(status).toBe(201);
    expect(headers.warning?.split(', ').sort(byPath)).toEqual(unknown.map((field) => `299 - "unknown field \\"${field}\\""`).sort(byPath));
    expect(body.spec).not.toHaveProperty('replica');
    expect(body.spec.containers[0]).not.toHaveProperty('imagee');
    expect(body).not.toHaveProperty('colour');
  });

  it('is stored without them and without a warning with fieldValidation=Ignore', async () => {
    const { call } = setUp();
    const { status, body, headers } = await call('POST', `${pods}?fieldValidation=Ignore`, wrong('web'));
    expect([status, headers.warning]).toEqual([201, undefined]);
    expect(body.spec).not.toHaveProperty('replica');
  });

  it('fails with another directive', async () => {
    const { call } = setUp();
    const { status, body } = await call('PUT', `${pods}/web?fieldValidation=Perhaps`, pod('web'));
    expect(status).toBe(422);
    expect(body.message).toBe(
      'UpdateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Perhaps": supported values: "", "Ignore", "Strict", "Warn"',
    );
  });

  it('replaces nothing by them', async () => {
    const { call } = setUp();
    const created = await call('POST', pods, pod('web'));
    const body = { ...created.body, spec: { ...created.body.spec, replica: 1 } };
    const refused = await call('PUT', `${pods}/web?fieldValidation=Strict`, body);
    expect(refused.body.message).toBe(`Pod in version "v1" cannot be handled as a Pod: ${strict(['spec.replica'])}`);
    const warned = await call('PUT', `${pods}/web`, body);
    expect(warned.headers.warning).toBe('299 - "unknown field \\"spec.replica\\""');
    expect(warned.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
  });

  it.each([
    ['merge-patch+json', { spec: { replica: 1 } }, /^ "" is invalid: patch: Invalid value: "\{.*\\"replica\\":1.*\}": /],
    ['strategic-merge-patch+json', { spec: { replica: 1 } }, /^ "" is invalid: patch: Invalid value: "map\[spec:map\[replica:1\]\]": /],
    ['json-patch+json', [{ op: 'add', path: '/spec/replica', value: 1 }], /^ "" is invalid: patch: Invalid value: "\{/],
  ])('as a %s fails or gets a warning', async (kind, body, start) => {
    const { call, patch } = setUp();
    await call('POST', pods, pod('web'));
    const refused = await patch(`${pods}/web?fieldValidation=Strict`, body, kind);
    expect(refused.status).toBe(422);
    expect(refused.body.message).toMatch(start);
    expect(refused.body.message.endsWith(strict(['spec.replica']))).toBe(true);
    const warned = await patch(`${pods}/web`, body, kind);
    expect([warned.status, warned.headers.warning]).toEqual([200, '299 - "unknown field \\"spec.replica\\""']);
  });

  it('as an apply fails, whatever the directive', async () => {
    const { patch } = setUp();
    const { status, body } = await patch(
      `${pods}/web?fieldManager=m&fieldValidation=Ignore`,
      { ...pod('web'), colour: 'red' },
      'apply-patch+yaml',
    );
    expect(status).toBe(500);
    expect(body.message).toBe('failed to create typed patch object (/web; v1, Kind=Pod): .colour: field not declared in schema');
    const several = await patch(`${pods}/web?fieldManager=m`, wrong('web'), 'apply-patch+yaml');
    expect(several.body.message.split('\n').slice(1).sort(byPath)).toEqual([
      '  .colour: field not declared in schema',
      '  .spec.containers[name="main"].imagee: field not declared in schema',
      '  .spec.replica: field not declared in schema',
    ]);
  });

  it('of a custom resource is judged by its schema', async () => {
    const { call, server } = setUp();
    const properties = {
      spec: { type: 'object', properties: { runs: { type: 'integer' }, free: { type: 'object', additionalProperties: true } } },
    };
    server.objects.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'batches.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'batches', kind: 'Batch' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }],
      },
    } as KubeObject);
    const batch = {
      apiVersion: 'example.com/v1',
      kind: 'Batch',
      metadata: { name: 'b', colour: 'red' },
      spec: { runs: 1, rums: 2, free: { any: 1 } },
    };
    const url = '/apis/example.com/v1/namespaces/default/batches';
    const refused = await call('POST', `${url}?fieldValidation=Strict`, batch);
    expect(refused.body.message).toBe(`Batch in version "v1" cannot be handled as a Batch: ${strict(['metadata.colour', 'spec.rums'])}`);
    const stored = await call('POST', url, batch);
    expect(stored.headers.warning).toBe('299 - "unknown field \\"metadata.colour\\"", 299 - "unknown field \\"spec.rums\\""');
    expect(stored.body.spec).toEqual({ runs: 1, free: { any: 1 } });
  });

  it('without a request fails', () => {
    const { server } = setUp();
    expect(() => server.objects.create(wrong('web') as KubeObject)).toThrow('unknown field "spec.replica"');
    server.objects.create(pod('web') as KubeObject);
    expect(() => server.objects.update('pods', 'web', (object) => Object.assign(object, { colour: 'red' }))).toThrow(
      'unknown field "colour"',
    );
  });
});

describe('a write with duplicate fields', () => {
  const text = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"},"data":{"a":"1","b":"2","a":"3"}}';

  it('fails with fieldValidation=Strict, else gets a warning, and the last one wins', async () => {
    const { call } = setUp();
    const url = '/api/v1/namespaces/default/configmaps';
    const refused = await call('POST', `${url}?fieldValidation=Strict`, text);
    expect(refused.body.message).toBe(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: duplicate field "data.a"',
    );
    const stored = await call('POST', url, text);
    expect([stored.headers.warning, stored.body.data]).toEqual(['299 - "duplicate field \\"data.a\\""', { a: '3', b: '2' }]);
    expect((await call('POST', `${url}?fieldValidation=Strict`, '{"data":{"a":"\\x"}}')).status).toBe(400);
  });

  it('reports them and unknown fields in the order of the text', async () => {
    const { call } = setUp();
    const mixed = '{"x":1,"data":{"a":"1","a":"2"},"kind":"ConfigMap","y":{"y":1,"y":2},"metadata":{"name":"c"},"x":2}';
    const { body } = await call('POST', '/api/v1/namespaces/default/configmaps?fieldValidation=Strict', mixed);
    const problems = ['unknown field "x"', 'duplicate field "data.a"', 'unknown field "y"', 'duplicate field "y.y"', 'duplicate field "x"'];
    expect(body.message.split('strict decoding error: ')[1]).toBe(problems.join(', '));
  });

  it.each([
    ['{"a":1,"b":[{"c":1,"c":2},{"c":"x,{\\"c\\":1}"}]}', ['b[0].c']],
    ['{"a":{"x":1},"b":{"x":1},"a":{"x":1}}', ['a']],
    ['[[{"a":1}],[{"a":1,"a":2}]]', ['[1][0].a']],
    ['{"a":{"a":{"a":1}},"b":[],"c":{}}', []],
  ])('finds those of %s', (json, fields) => {
    expect(duplicateFields(json).map(({ path }) => path)).toEqual(fields);
  });
});

describe('the known fields', () => {
  it('exist for every kind', () => {
    expect(builtInResources.filter((resource) => fieldsOfKind(resource) === undefined).map(({ kind }) => kind)).toEqual([]);
  });

  /** The fields of the client's models, which are those of an earlier version. */
  const models = client as unknown as Record<string, { attributeTypeMap?: { baseName: string; type: string }[] } | undefined>;
  const findMissing = (type: ObjectType | undefined, model: string, path: string, seen: Set<string>): string[] => {
    if (type === undefined || seen.has(model)) return [];
    seen.add(model);
    return (models[model]?.attributeTypeMap ?? []).flatMap(({ baseName, type: of }) => {
      const field = type.get(baseName);
      if (field === undefined) return [`${path}.${baseName}`];
      return findMissing(field.type, /[A-Z]\w+(?=>|;|$)/.exec(of.replace(/^Array</, ''))?.[0] ?? '', `${path}.${baseName}`, seen);
    });
  };

  it.each(builtInResources.map((resource) => [`${resource.group}/${resource.kind}`, resource] as const))(
    'of %s include those that the client knows',
    (group, resource) => {
      const prefixes: Record<string, string> = {
        '/Event': 'CoreV1',
        'events.k8s.io/Event': 'EventsV1',
        'resource.k8s.io/ResourceClaim': 'ResourceV1',
        // The client has no v1 of them yet.
        'admissionregistration.k8s.io/MutatingAdmissionPolicy': 'V1beta1',
        'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding': 'V1beta1',
      };
      const model = `${prefixes[group] ?? `V${resource.version.slice(1)}`}${resource.kind}`;
      expect(models[model]?.attributeTypeMap).toBeDefined();
      expect(findMissing(fieldsOfKind(resource), model, resource.kind, new Set())).toEqual([]);
    },
  );
});
