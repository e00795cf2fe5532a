import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { referenceEncode, referenceEnvelope, referenceEvents, referenceOpen } from '../protobuf/reference.fixture.js';
import { pod, pods, setUp } from '../test-api-server.fixture.js';
import type { ApiResponse } from './request.js';

const type = 'application/vnd.kubernetes.protobuf';
/** The headers of client-go. */
const both = { accept: `${type},application/json`, 'content-type': type };

async function bytesOf({ body }: Pick<ApiResponse, 'body'>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of typeof body === 'string' ? [body] : body) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces);
}

/** A server, and a client that sends and takes protobuf. */
function setUpClient() {
  const api = setUp();
  const send = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const { status, headers: got, body: content } = await api.server.handle({ method, url, body, headers: { ...both, ...headers } });
    const bytes = await bytesOf({ body: content });
    return { status, type: got['content-type'], bytes, ...(got['content-type'] === type && referenceOpen(bytes)) };
  };
  return { ...api, send };
}

const crontabs = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crontabs.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'crontabs', kind: 'CronTab' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const crontabsUrl = '/apis/example.com/v1/namespaces/default/crontabs';
const webPod = { metadata: { name: 'web' }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };

describe('a client of protobuf', () => {
  it('creates, gets, updates, lists and deletes', async () => {
    const { send } = setUpClient();
    const created = await send('POST', pods, referenceEnvelope('v1', 'Pod', webPod));
    expect(created).toMatchObject({
      status: 201,
      type,
      kind: 'Pod',
      object: { spec: { restartPolicy: 'Always' }, status: { phase: 'Pending' } },
    });
    const configMaps = '/api/v1/namespaces/default/configmaps';
    const configMap = (data: Record<string, string>) => referenceEnvelope('v1', 'ConfigMap', { metadata: { name: 'c' }, data });
    await send('POST', configMaps, configMap({ a: '1' }));
    expect(await send('PUT', `${configMaps}/c`, configMap({ b: '2' }))).toMatchObject({ status: 200, object: { data: { b: '2' } } });
    expect(await send('GET', pods)).toMatchObject({
      kind: 'PodList',
      object: { metadata: { resourceVersion: expect.any(String) }, items: [{ metadata: { name: 'web' } }] },
    });
    const options = referenceEnvelope('v1', 'DeleteOptions', { gracePeriodSeconds: 0 });
    expect(await send('DELETE', `${pods}/web`, options)).toMatchObject({ status: 200, kind: 'Pod' });
    expect(await send('GET', `${pods}/web`)).toMatchObject({
      status: 404,
      kind: 'Status',
      object: { reason: 'NotFound', code: 404, details: { name: 'web', kind: 'pods' } },
    });
  });

  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
  const port = { name: 'http', port: 80, targetPort: { type: 1, strVal: 'web' } };
  it.each([
    ['/api/v1', 'services', 'Service', { spec: { ports: [port], selector: labels, type: 'ClusterIP' } }],
    ['/api/v1', 'secrets', 'Secret', { data: { key: 'AQID' }, type: 'Opaque' }],
    ['/apis/apps/v1', 'deployments', 'Deployment', { spec: { replicas: 2, selector: { matchLabels: labels }, template } }],
    ['/apis/rbac.authorization.k8s.io/v1', 'roles', 'Role', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] }],
    [
      '/apis/discovery.k8s.io/v1',
      'endpointslices',
      'EndpointSlice',
      { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready: false }, nodeName: 'n' }], ports: [{ port: 80 }] },
    ],
  ])('creates, lists and watches in %s: %s', async (root, resource, kind, fields) => {
    const { send, server } = setUpClient();
    const url = `${root}/namespaces/default/${resource}`;
    const watch = await server.handle({ url: `${url}?watch=true&timeoutSeconds=1&resourceVersion=${server.revision}`, headers: both });
    const apiVersion = root.replace(/^\/apis?\//, '');
    const made = await send('POST', url, referenceEnvelope(apiVersion, kind, { metadata: { name: 'made', labels }, ...fields }));
    const object = { metadata: { name: 'made', uid: expect.any(String), labels }, ...fields };
    expect(made).toMatchObject({ status: 201, type, kind, object });
    const listed = (await send('GET', `${url}?labelSelector=app=web`)) as { kind?: string; object?: object };
    expect(listed).toMatchObject({ kind: `${kind}List`, object: { items: [object] } });
    server.dropWatches();
    expect(referenceEvents(await bytesOf(watch))).toMatchObject([{ type: 'ADDED', kind, object }]);
  });

  it('patches in JSON', async () => {
    const { send, server } = setUpClient();
    server.objects.create(pod('web') as KubeObject);
    const patch = { 'content-type': 'application/merge-patch+json' };
    expect(await send('PATCH', `${pods}/web`, '{"metadata":{"labels":{"a":"b"}}}', patch)).toMatchObject({
      status: 200,
      kind: 'Pod',
      object: { metadata: { labels: { a: 'b' } } },
    });
    expect(await send('PATCH', `${pods}/web`, referenceEnvelope('v1', 'Pod', webPod))).toMatchObject({
      status: 415,
      object: { message: expect.stringContaining('accepted media types include: application/json-patch+json') },
    });
  });

  it('watches frames with objects, bookmarks and errors', async () => {
    const { server, clock } = setUpClient();
    const watch = (query: string) => server.handle({ url: `${pods}?watch=true&${query}`, headers: both });
    const response = await watch('allowWatchBookmarks=true&timeoutSeconds=600');
    expect(response.headers['content-type']).toBe(`${type};stream=watch`);
    server.objects.create(pod('web') as KubeObject);
    server.objects.update('pods', 'web', (object) => Object.assign(object.metadata ?? {}, { labels: { a: 'b' } }));
    server.objects.delete('pods', 'web', { gracePeriodSeconds: 0 });
    await clock.advance(60_000);
    server.dropWatches('expire');
    const events = referenceEvents(await bytesOf(response));
    expect(events.map(({ type: event, kind }) => `${event} ${kind}`)).toEqual([
      'ADDED Pod',
      'MODIFIED Pod',
      'DELETED Pod',
      'BOOKMARK Pod',
      'ERROR Status',
    ]);
    expect(events[1]?.object).toMatchObject({ metadata: { name: 'web', labels: { a: 'b' } } });
    expect(events[3]?.object).toMatchObject({ metadata: { resourceVersion: String(server.revision) } });
    expect(events[4]?.object).toMatchObject({ code: 410, reason: 'Expired' });
    server.fault({ match: { verb: 'watch' }, status: 410 });
    expect(referenceEvents(await bytesOf(await watch('')))).toMatchObject([{ type: 'ERROR', kind: 'Status', object: { code: 410 } }]);
  });

  it('gets metadata as protobuf, and tables as JSON', async () => {
    const { send, server } = setUpClient();
    server.objects.create(pod('web') as KubeObject);
    const as = (kind: string) => ({ accept: `${type};as=${kind};v=v1;g=meta.k8s.io,application/json;as=${kind};v=v1;g=meta.k8s.io` });
    expect(await send('GET', `${pods}/web`, undefined, as('PartialObjectMetadata'))).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      object: { metadata: { name: 'web' } },
    });
    expect(await send('GET', pods, undefined, as('PartialObjectMetadataList'))).toMatchObject({
      kind: 'PartialObjectMetadataList',
      object: { items: [{ metadata: { name: 'web' } }] },
    });
    expect((await send('GET', pods, undefined, as('Table'))).type).toBe('application/json');
    const onlyProtobuf = { accept: `${type};as=Table;v=v1;g=meta.k8s.io` };
    expect((await send('GET', pods, undefined, onlyProtobuf)).status).toBe(406);
  });

  it('gets custom resources as JSON, and their metadata and errors as protobuf', async () => {
    const { send, server } = setUpClient();
    server.objects.create(crontabs as KubeObject);
    server.objects.create({ apiVersion: 'example.com/v1', kind: 'CronTab', metadata: { name: 'c' } });
    expect((await send('GET', `${crontabsUrl}/c`)).type).toBe('application/json');
    expect((await send('GET', `${crontabsUrl}/c`, undefined, { accept: type })).status).toBe(406);
    expect(await send('GET', `${crontabsUrl}/missing`)).toMatchObject({ status: 404, kind: 'Status' });
    const metadata = { accept: `${type};as=PartialObjectMetadata;v=v1;g=meta.k8s.io` };
    expect(await send('GET', `${crontabsUrl}/c`, undefined, metadata)).toMatchObject({ kind: 'PartialObjectMetadata' });
    const body = Buffer.concat([
      Buffer.from('k8s\0'),
      referenceEncode('Unknown', { typeMeta: { apiVersion: 'example.com/v1', kind: 'CronTab' } }),
    ]);
    expect(await send('POST', crontabsUrl, body)).toMatchObject({
      status: 400,
      object: {
        message: expect.stringMatching(/^CronTab in version "v1" cannot be handled as a CronTab: object \*unstructured\.Unstructured /),
      },
    });
  });

  it('uses subresources and reviews', async () => {
    const { send, server } = setUpClient();
    server.objects.create(pod('web') as KubeObject);
    const binding = await send(
      'POST',
      `${pods}/web/binding`,
      envelope('v1', 'Binding', [
        [
          2,
          [
            [1, 'Node'],
            [3, 'n1'],
          ],
        ],
      ]),
    );
    expect(binding).toMatchObject({ status: 201, kind: 'Status', object: { status: 'Success' } });
    expect(server.objects.get('pods', 'web')).toMatchObject({ spec: { nodeName: 'n1' } });
    const review = envelope('authorization.k8s.io/v1', 'SelfSubjectAccessReview', [
      [
        2,
        [
          [
            1,
            [
              [2, 'get'],
              [5, 'pods'],
            ],
          ],
        ],
      ],
    ]);
    const answer = await server.handle({
      method: 'POST',
      url: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      body: review,
      headers: { 'content-type': type },
    });
    expect(JSON.parse(answer.body as string)).toMatchObject({ status: { allowed: true } });
    const eviction = await send('POST', `${pods}/web/eviction`, envelope('policy/v1', 'Eviction', [[1, [[1, 'web']]]]));
    expect(eviction).toMatchObject({ status: 201, kind: 'Status' });
  });

  it('gets 400 for a body that is no object of the kind', async () => {
    const { send } = setUpClient();
    const message = async (method: string, url: string, body: Buffer | Uint8Array) => {
      const answer = (await send(method, url, body)) as { status: number; object?: { message: string } };
      return `${answer.status} ${answer.object?.message}`;
    };
    const whole = referenceEnvelope('v1', 'Pod', webPod);
    expect(await message('POST', pods, whole.subarray(0, whole.length - 10))).toMatch(
      /^400 the object provided is unrecognized \(must be of type Pod\): unexpected EOF \(6b387300[0-9a-f]{52} \.\.\.\)$/,
    );
    expect(await message('POST', pods, Buffer.from('{}'))).toBe(
      '400 the object provided is unrecognized (must be of type Pod): provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})',
    );
    expect(await message('POST', pods, referenceEnvelope('v7', 'Pod', webPod))).toBe(
      '400 Pod in version "v7" cannot be handled as a Pod: no kind "Pod" is registered for version "v7" in scheme "pkg/api/legacyscheme/scheme.go:30"',
    );
    expect(await message('DELETE', `${pods}/web`, Buffer.from('k8s\0'))).toBe('400 empty body');
    expect((await send('POST', pods, Buffer.alloc(3 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await send('POST', pods, Buffer.from('a'), { 'content-type': 'application/cbor' })).status).toBe(415);
    expect((await send('GET', pods, undefined, { accept: 'application/cbor' })).status).toBe(406);
  });

  it('gets 401 before its body is read', async () => {
    const { send } = setUpClient();
    expect((await send('POST', pods, Buffer.from('{}'), { authorization: 'Bearer wrong' })).status).toBe(401);
  });
});

type Fields = readonly (readonly [number: number, value: string | Fields])[];

function encode(fields: Fields): Buffer {
  const parts = fields.map(([number, value]) => {
    const bytes = typeof value === 'string' ? Buffer.from(value) : encode(value);
    return Buffer.concat([Buffer.from([8 * number + 2, bytes.length]), bytes]);
  });
  return Buffer.concat(parts);
}

/** A short message by its numbers. */
const envelope = (apiVersion: string, kind: string, fields: Fields) =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    encode([
      [
        1,
        [
          [1, apiVersion],
          [2, kind],
        ],
      ],
      [2, fields],
    ]),
  ]);

describe('the order of media types', () => {
  it.each([
    [`application/json;q=0.5, ${type}`, type],
    [`*/*, ${type}`, type],
    [`application/json, ${type}`, 'application/json'],
    [`text/html, ${type};q=0.1, application/*;q=0.1`, type],
    [`${type};stream=other, application/json`, 'application/json'],
    ['*/*', 'application/json'],
  ])('of %s leads to %s', async (accept, expected) => {
    const { server } = setUp();
    const { headers, status } = await server.handle({ url: pods, headers: { accept } });
    expect([status, headers['content-type']]).toEqual([200, expected]);
  });
});
