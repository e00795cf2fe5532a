import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import { definition, definitions, widget, withSpec } from './definitions.fixture.js';

const atV2 = '/apis/example.com/v2/namespaces/default/widgets';
const atV1 = '/apis/example.com/v1/namespaces/default/widgets';

interface Review {
  request: {
    uid: string;
    desiredAPIVersion: string;
    objects: { apiVersion: string; spec?: { hostPort?: string; host?: string; port?: string } }[];
  };
}

/** Converts `hostPort` of v1 to `host` and `port` of v2, and back. */
function converted({ request: { uid, desiredAPIVersion, objects } }: Review) {
  const convertedObjects = objects.map(({ spec = {}, ...object }) => {
    const [host = '', port = ''] = (spec.hostPort ?? '').split(':');
    const after = desiredAPIVersion.endsWith('v2') ? { host, port } : { hostPort: `${spec.host}:${spec.port}` };
    return { ...object, apiVersion: desiredAPIVersion, spec: after };
  });
  return {
    kind: 'ConversionReview',
    apiVersion: 'apiextensions.k8s.io/v1',
    response: { uid, convertedObjects, result: { status: 'Success' } },
  };
}

/** The answer of a webhook: what it answers as JSON or text, or how it fails. */
async function setUpConversion(answer: (review: Review) => unknown = converted) {
  const reviews: Review[] = [];
  const kit = setUp({
    webhooks: async ({ body }) => {
      const review = JSON.parse(body) as Review;
      reviews.push(review);
      const reply = await answer(review);
      return { status: 200, body: typeof reply === 'string' ? reply : JSON.stringify(reply) };
    },
  });
  const version = (name: string, properties: Record<string, unknown>) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: withSpec(properties) },
    selectableFields: Object.keys(properties).map((field) => ({ jsonPath: `.spec.${field}` })),
  });
  const text = { type: 'string' };
  const versions = [version('v1', { hostPort: text }), version('v2', { host: text, port: { ...text, pattern: '^[0-9]+$' } })];
  const webhook = { clientConfig: { url: 'https://convert.example.com/' }, conversionReviewVersions: ['v1'] };
  await kit.call('POST', definitions, definition(undefined, {}, { versions, conversion: { strategy: 'Webhook', webhook } }));
  return { ...kit, reviews };
}

const v1 = (name: string, hostPort: string) => widget(name, { hostPort });
const v2 = (name: string, host: string, port: string) => ({ ...widget(name, { host, port }), apiVersion: 'example.com/v2' });

describe('conversion by a webhook', () => {
  it('converts objects on each read and write of another version', async () => {
    const { call, patch, reviews } = await setUpConversion();
    await call('POST', atV1, v1('a', 'localhost:80'));
    expect(reviews).toHaveLength(0);
    expect((await call('GET', `${atV2}/a`)).body).toMatchObject({ apiVersion: 'example.com/v2', spec: { host: 'localhost', port: '80' } });
    const created = await call('POST', atV2, v2('b', 'there', '81'));
    expect(created).toMatchObject({ status: 201, body: { apiVersion: 'example.com/v2', spec: { host: 'there', port: '81' } } });
    expect((await call('GET', `${atV1}/b`)).body.spec).toEqual({ hostPort: 'there:81' });
    const patched = await patch(`${atV2}/b`, { spec: { port: '82' }, metadata: { labels: { a: 'b' } } });
    expect(patched.body).toMatchObject({ spec: { host: 'there', port: '82' }, metadata: { labels: { a: 'b' }, generation: 2 } });
    expect((await call('GET', `${atV1}/b`)).body.spec).toEqual({ hostPort: 'there:82' });
    expect((await patch(`${atV2}/b`, { spec: { port: 'x' } })).body.message).toContain("should match '^[0-9]+$'");
    expect((await call('DELETE', `${atV2}/b`)).status).toBe(200);
  });

  it('converts a list of objects of several versions in one review', async () => {
    const { call, reviews, watch } = await setUpConversion();
    await call('POST', atV1, v1('a', 'one:1'));
    await call('POST', atV2, v2('b', 'two', '2'));
    reviews.length = 0;
    const { body } = await call('GET', atV2);
    expect(body.items.map(({ spec }: { spec: unknown }) => spec)).toEqual([
      { host: 'one', port: '1' },
      { host: 'two', port: '2' },
    ]);
    expect(reviews.map(({ request }) => request.objects.length)).toEqual([1]);
    const { events, abort } = await watch(`${atV2}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
    await call('POST', atV1, v1('c', 'three:3'));
    await expect.poll(() => events).toHaveLength(1);
    abort();
    expect(events.map(({ type, object }) => [type, object.spec])).toEqual([['ADDED', { host: 'three', port: '3' }]]);
  });

  it('selects objects by the fields of each version', async () => {
    const { call, watch } = await setUpConversion();
    const ofHost = await watch(`${atV2}?watch=true&fieldSelector=spec.host%3Done`);
    const ofBoth = await watch(`${atV2}?watch=true&fieldSelector=spec.host%3Done,spec.port%3D1`);
    const ofV1 = await watch(`${atV1}?watch=true&fieldSelector=spec.hostPort%3Done:1`);
    for (const [name, host, port] of [
      ['a', 'one', '1'],
      ['b', 'one', '2'],
      ['c', 'two', '1'],
    ] as const)
      await call('POST', atV2, v2(name, host, port));
    const { body } = await call('GET', `${atV2}?fieldSelector=spec.host%3Done`);
    expect(body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['a', 'b']);
    await call('DELETE', `${atV2}?fieldSelector=spec.host%3Done,spec.port%3D1`);
    const { body: b } = await call('GET', `${atV2}/b`);
    await call('PUT', `${atV2}/b`, { ...b, spec: { host: 'two', port: '2' } });
    await expect.poll(ofHost.seen).toHaveLength(4);
    for (const watched of [ofBoth, ofV1]) await expect.poll(watched.seen).toHaveLength(2);
    for (const { abort } of [ofHost, ofBoth, ofV1]) abort();
    expect(ofHost.seen()).toEqual(['ADDED a', 'ADDED b', 'DELETED a', 'DELETED b']);
    expect(ofBoth.seen()).toEqual(['ADDED a', 'DELETED a']);
    expect(ofV1.seen()).toEqual(['ADDED a', 'DELETED a']);
  });

  const response = (review: Review, more: Record<string, unknown>) => ({
    ...converted(review),
    response: { ...converted(review).response, ...more },
  });

  it.each<[what: string, answer: (review: Review) => unknown, message: string]>([
    ['rubbish', () => '<html>', 'json parse error'],
    [
      'another kind',
      (review) => ({ ...converted(review), kind: 'Pod' }),
      'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview',
    ],
    ['another UID', (review) => response(review, { uid: 'x' }), 'expected response.uid='],
    ['a failure', (review) => response(review, { result: { status: 'Failure', message: 'cannot do it' } }), 'cannot do it'],
    ['no result', (review) => response(review, { result: {} }), 'response.result.status was empty'],
    ['too few objects', (review) => response(review, { convertedObjects: [] }), 'webhook returned 0 objects, expected 1'],
    ['no objects', (review) => response(review, { convertedObjects: [null] }), 'invalid converted object at index 0: missing metadata'],
    [
      'the old version',
      (review) => response(review, { convertedObjects: review.request.objects }),
      'expected apiVersion example.com/v2, got example.com/v1',
    ],
    [
      'another name',
      (review) =>
        response(review, {
          convertedObjects: converted(review).response.convertedObjects.map((each) => ({ ...each, metadata: { name: 'x' } })),
        }),
      'must have the same name: x != a',
    ],
    ['an error', () => Promise.reject(new Error('connection refused')), 'connection refused'],
  ])('answers 500 for %s of a webhook', async (_what, answer, message) => {
    const { call } = await setUpConversion(answer);
    await call('POST', atV1, v1('a', 'one:1'));
    const { body } = await call('GET', `${atV2}/a`);
    expect(body).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(body.message).toContain('conversion webhook for example.com/v1, Kind=Widget failed: ');
    expect(body.message).toContain(message);
    expect((await call('GET', `${atV1}/a`)).status).toBe(200);
  });

  it('gives up after 30 s', async () => {
    const { call, clock } = await setUpConversion(() => new Promise(() => {}));
    await call('POST', atV1, v1('a', 'one:1'));
    const answered = call('GET', `${atV2}/a`);
    await clock.advance(30_000);
    expect((await answered).body.message).toContain('context deadline exceeded');
  });
});
