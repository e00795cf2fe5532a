import { apiStatusOf, isApiReason, type Metrics, type Pod } from '@nodeagent/api';
import { createVirtualClock, seededRandom } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createKubeClient, type KubeClientOptions } from '../client.js';
import type { ExecPluginConfig } from '../config/cluster-config.js';
import { connectKubeClient } from '../connect.js';
import { unreachable } from '../errors.js';
import {
  noResponse,
  podList,
  podObject,
  type RecordedRequest,
  type ScriptedResponse,
  scriptedTransport,
  statusBody,
} from '../fixtures/scripted-transport.js';

function setUp(
  answer: (request: RecordedRequest, count: number) => ScriptedResponse | Promise<ScriptedResponse>,
  options: Partial<KubeClientOptions> = {},
) {
  const clock = createVirtualClock();
  const times: number[] = [];
  const counted: string[] = [];
  const metrics: Metrics = {
    counter: ({ name }) => ({ inc: (labels) => void counted.push(`${name} ${labels?.code}`) }),
    gauge: () => ({ set() {} }),
    histogram: () => ({ observe() {} }),
  };
  const transport = scriptedTransport((request) => {
    times.push(clock.monotonic());
    return answer(request, times.length - 1);
  });
  const cluster = { server: 'https://test' };
  const client = createKubeClient({ cluster, transport, clock, random: seededRandom(3), metrics, ...options });
  return { clock, client, transport, times, counted, requests: transport.requests };
}

const pod: Pod = { metadata: { namespace: 'default', name: 'a' }, spec: { containers: [] } };
const key = { namespace: 'default', name: 'a' };
const busy: ScriptedResponse = { status: 429, headers: { 'retry-after': '2' }, body: statusBody(429, 'TooManyRequests') };
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('calls', () => {
  it('use the paths, bodies and content types of the API', async () => {
    const { client, requests } = setUp(() => ({ body: podObject('a', 1) }));
    await client.pods.get(key);
    await client.pods.get(key, { resourceVersion: '0' });
    await client.pods.create(pod);
    await client.pods.update(pod, { subresource: 'status' });
    await client.pods.patch(key, { status: {} }, { subresource: 'status' });
    await client.nodes.patch({ name: 'n' }, { spec: {} }, { type: 'apply', fieldManager: 'me', force: true });
    await client.pods.delete(key, { gracePeriodSeconds: 0, preconditions: { uid: 'u' } });
    await client.leases.get({ namespace: 'kube-node-lease', name: 'n' });
    await client.serviceAccounts.createToken({ namespace: 'default', name: 'sa' }, { spec: { audiences: ['x'] } });
    await client.subjectAccessReviews.create({ spec: { user: 'u', nonResourceAttributes: { path: '/metrics', verb: 'get' } } });
    await client.resource({ group: 'example.com', version: 'v1beta1', resource: 'things', namespaced: true }).get(key);
    await client.version();
    const shown = requests.map(({ method, path, headers, body }) => [method, path, headers['content-type'], body && JSON.parse(body)]);
    const json = 'application/json';
    expect(shown).toEqual([
      ['GET', '/api/v1/namespaces/default/pods/a', undefined, undefined],
      ['GET', '/api/v1/namespaces/default/pods/a?resourceVersion=0', undefined, undefined],
      ['POST', '/api/v1/namespaces/default/pods', json, pod],
      ['PUT', '/api/v1/namespaces/default/pods/a/status', json, pod],
      ['PATCH', '/api/v1/namespaces/default/pods/a/status', 'application/strategic-merge-patch+json', { status: {} }],
      ['PATCH', '/api/v1/nodes/n?fieldManager=me&force=true', 'application/apply-patch+yaml', { spec: {} }],
      [
        'DELETE',
        '/api/v1/namespaces/default/pods/a',
        json,
        { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: { uid: 'u' } },
      ],
      ['GET', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n', undefined, undefined],
      ['POST', '/api/v1/namespaces/default/serviceaccounts/sa/token', json, { spec: { audiences: ['x'] } }],
      [
        'POST',
        '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        json,
        { spec: { user: 'u', nonResourceAttributes: { path: '/metrics', verb: 'get' } } },
      ],
      ['GET', '/apis/example.com/v1beta1/namespaces/default/things/a', undefined, undefined],
      ['GET', '/version', undefined, undefined],
    ]);
    expect(requests[0]?.headers).toMatchObject({ accept: 'application/json', 'accept-encoding': 'gzip', 'user-agent': 'nodeagent' });
  });

  it.each([
    [{ namespace: 'default', name: '../nodes' }, 'name'],
    [{ namespace: '..', name: 'a' }, 'namespace'],
    [{ namespace: 'default', name: '' }, 'name'],
    [{ name: 'a' }, 'namespace'],
  ])('refuse names that would lead elsewhere: %j', async (wrong, field) => {
    const { client, requests } = setUp(() => ({ body: {} }));
    expect(await failureOf(client.pods.get(wrong))).toMatchObject({ code: 'InvalidName', details: { field } });
    expect(requests).toHaveLength(0);
  });

  it('list in pages and give each object its kind', async () => {
    const { client, requests } = setUp(({ query }) => ({
      body: query.continue === undefined ? podList(7, [podObject('a', 1)], 'more') : podList(7, [podObject('b', 2)]),
    }));
    const { items, resourceVersion } = await client.pods.list({ labelSelector: 'app=web' });
    expect(items.map(({ kind, apiVersion, metadata }) => [kind, apiVersion, metadata?.name])).toEqual([
      ['Pod', 'v1', 'a'],
      ['Pod', 'v1', 'b'],
    ]);
    expect(resourceVersion).toBe('7');
    expect(requests.map(({ query }) => query)).toEqual([
      { labelSelector: 'app=web', limit: '500' },
      { labelSelector: 'app=web', limit: '500', continue: 'more' },
    ]);
  });

  it('list everything with one request when the continue token expires', async () => {
    const { client, requests } = setUp(({ query }, count) => {
      if (query.continue !== undefined) return { status: 410, body: statusBody(410, 'Expired') };
      return { body: count === 0 ? podList(7, [podObject('a', 1)], 'more') : podList(9, [podObject('a', 1), podObject('b', 2)]) };
    });
    expect(await client.pods.list()).toMatchObject({ resourceVersion: '9', items: { length: 2 } });
    expect(requests.at(-1)?.query).toEqual({});
  });
});

describe('errors', () => {
  it('have the status of the server', async () => {
    const body = { ...statusBody(403, 'Forbidden', 'not you'), details: { causes: [{ reason: 'NamespaceTerminating', field: 'x' }] } };
    const { client } = setUp(() => ({ status: 403, body }));
    const error = await failureOf(client.pods.create(pod));
    expect(isApiReason(error, 'Forbidden')).toBe(true);
    expect(apiStatusOf(error)).toEqual({
      code: 403,
      reason: 'Forbidden',
      message: 'not you',
      causes: [{ reason: 'NamespaceTerminating', field: 'x' }],
    });
  });

  it('name the call if the server is not an API server', async () => {
    const { client } = setUp(({ method }) => (method === 'GET' ? { body: '<html>' } : { status: 502, body: 'Bad Gateway\n<secret>' }));
    expect(await failureOf(client.pods.get(key))).toMatchObject({
      code: 'InvalidApiResponse',
      message: 'GET /api/v1/namespaces/default/pods/a: the response is not a JSON object',
    });
    expect(apiStatusOf(await failureOf(client.pods.create(pod)))).toEqual({
      code: 502,
      reason: 'Unknown',
      message: 'the server responded 502 to POST /api/v1/namespaces/default/pods: Bad Gateway',
    });
  });

  it('reject a call without a response in time', async () => {
    const { client, clock } = setUp(() => noResponse, { timeouts: { requestMs: 10_000 } });
    const error = failureOf(client.pods.create(pod));
    await clock.advance(10_000);
    expect(await error).toMatchObject({ code: 'ApiUnreachable', retryable: true, details: { stage: 'timeout' } });
    expect(clock.pending).toBe(0);
  });

  it('reject a call with the reason of its signal', async () => {
    const { client, clock } = setUp(() => noResponse);
    const controller = new AbortController();
    const error = failureOf(client.pods.get(key, { signal: controller.signal }));
    await clock.settle();
    controller.abort(new Error('enough'));
    expect(await error).toMatchObject({ message: 'enough' });
    expect(clock.pending).toBe(0);
  });

  it('reject a response that is too large', async () => {
    const { client } = setUp(() => ({ body: 'x'.repeat(1000) }), { maxResponseBytes: 100 });
    expect(await failureOf(client.pods.get(key))).toMatchObject({ code: 'ResponseTooLarge', details: { limit: 100 } });
  });
});

describe('retries', () => {
  it.each(['GET', 'POST'])('of a %s wait for Retry-After plus jitter', async (method) => {
    const { client, clock, times, counted } = setUp((_request, count) => (count < 2 ? busy : { body: podObject('a', 1) }));
    await clock.run(method === 'GET' ? client.pods.get(key) : client.pods.create(pod));
    expect(times).toHaveLength(3);
    for (const gap of [Number(times[1]) - Number(times[0]), Number(times[2]) - Number(times[1])]) {
      expect(gap).toBeGreaterThanOrEqual(2000);
      expect(gap).toBeLessThanOrEqual(2500);
    }
    expect(counted.filter((name) => name === 'rest_client_request_retries_total 429')).toHaveLength(2);
    expect(counted).toContain('rest_client_requests_total 200');
  });

  it('stop after ten', async () => {
    const { client, clock, times } = setUp(() => busy);
    expect(apiStatusOf(await clock.run(failureOf(client.pods.get(key))))?.retryAfterMs).toBe(2000);
    expect(times).toHaveLength(11);
  });

  it.each([
    ['no Retry-After', { status: 429, body: statusBody(429, 'TooManyRequests') }],
    ['a pause of an hour', { status: 429, headers: { 'retry-after': '3600' }, body: statusBody(429, 'TooManyRequests') }],
    ['a refusal', { status: 409, headers: { 'retry-after': '1' }, body: statusBody(409, 'Conflict') }],
  ])('are not made after %s', async (_name, answer) => {
    const { client, clock, times } = setUp(() => answer);
    expect(await clock.run(failureOf(client.pods.get(key)))).toMatchObject({ code: 'ApiError' });
    expect(times).toHaveLength(1);
  });

  it('are not made for a write that the server may have processed', async () => {
    const failed: ScriptedResponse = { status: 500, headers: { 'retry-after': '1' }, body: statusBody(500, 'InternalError') };
    for (const answer of [() => failed, () => cut()]) {
      const { client, clock, times } = setUp(answer);
      await clock.run(failureOf(client.pods.create(pod)));
      await clock.run(failureOf(client.pods.patch(key, {})));
      await clock.run(failureOf(client.pods.delete(key)));
      expect(times).toHaveLength(3);
    }
  });

  it('are made for a read after a lost connection, but not if the connection is refused', async () => {
    const afterCut = setUp((_request, count) => (count < 2 ? cut() : { body: podObject('a', 1) }));
    await afterCut.clock.run(afterCut.client.pods.get(key));
    expect(afterCut.clock.monotonic()).toBeLessThan(1000);
    const down = setUp(() => {
      throw unreachable('test', 'connect', 'connect ECONNREFUSED');
    });
    expect(await down.clock.run(failureOf(down.client.pods.get(key)))).toMatchObject({ code: 'ApiUnreachable' });
    expect(down.times).toHaveLength(1);
  });
});

describe('the rate limit', () => {
  it('allows a burst, then the rate, in order', async () => {
    const { client, clock, requests, times } = setUp(() => ({ body: podObject('a', 1) }), { qps: 10, burst: 5 });
    const calls = Promise.all(Array.from({ length: 25 }, (_, index) => client.pods.get({ namespace: 'default', name: `p${index}` })));
    await clock.run(calls);
    expect(times.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(2000);
    expect(clock.monotonic()).toBeLessThanOrEqual(2100);
    expect(requests.map(({ path }) => path.split('/').at(-1))).toEqual(Array.from({ length: 25 }, (_, index) => `p${index}`));
    expect(clock.pending).toBe(0);
  });

  it('removes aborted calls from the queue', async () => {
    const { client, clock, requests } = setUp(() => ({ body: podObject('a', 1) }), { qps: 1, burst: 1 });
    await client.pods.get(key);
    const controller = new AbortController();
    const waiting = failureOf(client.pods.get(key, { signal: controller.signal }));
    await clock.settle();
    controller.abort(new Error('enough'));
    expect(await waiting).toMatchObject({ message: 'enough' });
    expect(clock.pending).toBe(0);
    expect(requests).toHaveLength(1);
  });

  it('of 0 means no limit', async () => {
    const { client, clock } = setUp(() => ({ body: podObject('a', 1) }), { qps: 0 });
    await Promise.all(Array.from({ length: 500 }, () => client.pods.get(key)));
    expect(clock.monotonic()).toBe(0);
  });
});

const transport = scriptedTransport(() => ({ body: {} }));
const exec: ExecPluginConfig = {
  ...{ apiVersion: 'client.authentication.k8s.io/v1', command: 'login', args: [], env: {}, provideClusterInfo: false },
};

it.each([
  [{ qps: -1 }, 'qps'],
  [{ burst: 0 }, 'burst'],
  [{ timeouts: { requestMs: 0 } }, 'timeouts.requestMs'],
  [{ cluster: { server: 'ftp://x' } }, 'cluster.server'],
  [{ cluster: { server: 'x' } }, 'cluster.server'],
  [{ cluster: { server: 'https://x', proxyUrl: 'socks5://x' } }, 'cluster.proxyUrl'],
])('a client refuses %j', (options, field) => {
  const given = { cluster: { server: 'https://x' }, ...options };
  const refusal = expect.objectContaining({ code: 'InvalidOption', details: { field } });
  expect(() => createKubeClient({ ...given, transport })).toThrow(refusal);
  expect(() => connectKubeClient(given)).toThrow(refusal);
});

it.each([
  [{ certificateAuthority: { file: '/ca.crt' } }, 'files', 'files must be a reader of /ca.crt; connectKubeClient of'],
  [{ identity: { tokenFile: '/token' } }, 'files', 'files must be a reader of /token'],
  [{ identity: { exec } }, 'runProgram', 'runProgram must be a function that runs the credential plugin'],
])('a client refuses a cluster with %j without the port for it', (cluster, field, message) => {
  const create = () => createKubeClient({ cluster: { server: 'https://x', ...cluster }, transport });
  expect(create).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
  expect(create).toThrow(message);
});

function cut(): never {
  throw unreachable('test', 'response', 'socket hang up');
}
