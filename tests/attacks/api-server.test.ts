import type { Pod } from '@nodeagent/api';
import { createInProcessTransport, createKubeClient, type InProcessServer, type Transport } from '@nodeagent/kube-client';
import { createTestCluster, type TestCluster } from '@nodeagent/test-cluster';
import { describe, expect, it, onTestFinished } from 'vitest';

const podNamed = (name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'nginx:1' }] },
});

type Handle = InProcessServer['handle'];

/** A cluster of one node, whose requests an attacker between the node and the API server answers. */
async function createAttackedCluster(attack: (request: Parameters<Handle>[0], handle: Handle) => ReturnType<Handle>) {
  const attacker = { isActive: false, requests: 0 };
  const cluster = await createTestCluster({
    nodes: [
      {
        transport: (server) =>
          createInProcessTransport({
            async handle(request) {
              attacker.requests++;
              return attacker.isActive ? attack(request, (each) => server.handle(each)) : server.handle(request);
            },
          }),
      },
    ],
  });
  onTestFinished(async () => void (await cluster.stop()));
  return { cluster, attacker };
}

const isRunning = (cluster: TestCluster, pod: string) => cluster.pod(pod)?.status?.phase === 'Running';

/** An object like a pod, with whatever the attacker writes in the metadata, the spec and beside them. */
const podText = (name: string, { metadata = '', spec = '', beside = '' } = {}) =>
  `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"${name}","namespace":"default","uid":"${name}","resourceVersion":"5"${metadata}},` +
  `"spec":{"nodeName":"node-1","enableServiceLinks":false,"containers":[{"name":"main","image":"nginx:1"}]${spec}}${beside}}`;
const nested = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

const unreadablePods = [
  '{"kind":"Pod"}',
  '{"kind":"Pod","metadata":7}',
  podText('no-uid', { metadata: ',"uid":""' }),
  podText('uid-path', { metadata: ',"uid":"../../../etc"' }),
  podText('../../x'),
  podText('namespace-path', { metadata: ',"namespace":"../.."' }),
  podText('container-path', { spec: ',"containers":[{"name":"../../x","image":"nginx:1"}]' }),
  podText('volume-path', { spec: ',"volumes":[{"name":"..","emptyDir":{}}]' }),
  podText('spec', { beside: ',"spec":"x"' }),
  podText('containers', { spec: ',"containers":{"length":1e9}' }),
  podText('container', { spec: ',"containers":[1,"x",[]]' }),
  podText('fields', { spec: ',"containers":[{"name":"main","image":8,"env":{},"ports":5}]' }),
  podText('volumes', { spec: ',"volumes":{"a":1}' }),
  podText('status', { beside: ',"status":{"conditions":7,"containerStatuses":{}}' }),
  podText('deletion', { metadata: ',"deletionTimestamp":"never","deletionGracePeriodSeconds":1e300' }),
  podText('labels', { metadata: ',"labels":{"__proto__":{"polluted":true}}' }),
];

const nestedPods: [where: string, object: string][] = [
  ['an annotation', podText('nested', { metadata: `,"annotations":{"x":${nested}}` })],
  ['an unknown field', podText('nested', { beside: `,"x":${nested}` })],
];

describe('an API server that sends objects like pods', () => {
  /** The names of the agent's pods after the objects and a good pod arrived. */
  async function podsAfter(objects: readonly string[]): Promise<unknown[]> {
    const { cluster, attacker } = await createAttackedCluster(async (request, handle) => {
      const answer = await handle(request);
      const { body } = answer;
      if (!/\/pods\?.*watch=/.test(request.url) || typeof body === 'string') return answer;
      async function* withAttack() {
        for (const object of objects) yield `{"type":"ADDED","object":${object}}\n`;
        yield* body;
      }
      return { ...answer, body: withAttack() };
    });
    attacker.isActive = true;
    cluster.node('node-1').partition();
    cluster.node('node-1').heal();
    await cluster.advance('2s');
    attacker.isActive = false;
    cluster.apply(podNamed('good'));
    await cluster.until(() => isRunning(cluster, 'good'), '2m');
    const { agent, runtime } = cluster.node('node-1');
    expect(runtime.containers()).toHaveLength(1);
    expect({}).not.toHaveProperty('polluted');
    return agent.pods().map(({ pod }) => pod.metadata?.name);
  }

  it('with fields of other types, or with names that lead out of folders: the agent ignores them, and runs other pods', async () => {
    expect(await podsAfter(unreadablePods)).toEqual(['good']);
  });

  it.each(nestedPods)('with 100,000 levels of %s: the agent ignores them, and runs other pods', async (_, object) => {
    expect(await podsAfter([object])).toEqual(['good']);
  });

  it('in the place of a running pod: the pod keeps running', async () => {
    const { cluster, attacker } = await createAttackedCluster(async (request, handle) => {
      const answer = await handle(request);
      if (!/\/pods\?/.test(request.url)) return answer;
      const web = cluster.pod('web');
      const object = { ...web, metadata: { ...web?.metadata, resourceVersion: '9999' }, spec: { containers: 7 } };
      if (typeof answer.body === 'string') return { ...answer, body: JSON.stringify({ ...JSON.parse(answer.body), items: [object] }) };
      return { ...answer, body: `{"type":"MODIFIED","object":${JSON.stringify(object)}}\n` };
    });
    cluster.apply(podNamed('web'));
    await cluster.until(() => isRunning(cluster, 'web'));
    attacker.isActive = true;
    cluster.node('node-1').partition();
    cluster.node('node-1').heal();
    await cluster.advance('5m');
    expect(cluster.node('node-1').agent.pods()).toMatchObject([{ pod: { spec: { containers: [{ name: 'main' }] } } }]);
    expect(cluster.node('node-1').runtime.containers()).toMatchObject([{ state: 'running', attempt: 0 }]);
  });
});

const failure = (code: number, reason: string) => JSON.stringify({ kind: 'Status', apiVersion: 'v1', code, reason });
const replies =
  (status: number, body: string, headers = {}) =>
  async () => ({ status, headers, body });
const watches =
  (line: () => string) =>
  async (request: Parameters<Handle>[0], handle: Handle): ReturnType<Handle> =>
    /watch=/.test(request.url) ? { status: 200, headers: {}, body: line() } : handle(request);

let bookmarks = 0;
const answers: [what: string, attack: Parameters<typeof createAttackedCluster>[0]][] = [
  ['429 with Retry-After 0', replies(429, failure(429, 'TooManyRequests'), { 'retry-after': '0' })],
  ['429 with Retry-After 10^9', replies(429, failure(429, 'TooManyRequests'), { 'retry-after': '1000000000' })],
  ['a redirect', replies(302, '', { location: 'http://example.test/' })],
  ['null', replies(200, 'null')],
  ['an object without fields', replies(200, '{}')],
  ['conflicts', async (request, handle) => (request.method === 'GET' ? handle(request) : replies(409, failure(409, 'Conflict'))())],
  ['watches of garbage', watches(() => 'garbage\n')],
  ['watches that have expired', watches(() => `{"type":"ERROR","object":${failure(410, 'Expired')}}\n`)],
  ['bookmarks of invalid versions', watches(() => `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"0.${++bookmarks}"}}}\n`)],
];

describe('an API server that answers each request with', () => {
  it.each(answers)('%s gets a bounded number of requests, and the agent follows it when it recovers', async (_, attack) => {
    const { cluster, attacker } = await createAttackedCluster(attack);
    cluster.apply(podNamed('before'));
    await cluster.until(() => isRunning(cluster, 'before'));
    attacker.isActive = true;
    attacker.requests = 0;
    await cluster.advance('2m');
    expect(attacker.requests / 2).toBeLessThan(600);
    expect(cluster.node('node-1').runtime.containers()).toMatchObject([{ state: 'running', attempt: 0 }]);
    attacker.isActive = false;
    cluster.apply(podNamed('after'));
    await cluster.until(() => isRunning(cluster, 'after'), '7m');
  });
});

describe('an API server that sends', () => {
  const clientOf = (body: () => AsyncIterable<Uint8Array>, maxResponseBytes?: number) => {
    const transport: Transport = { send: async () => ({ status: 200, headers: {}, body: body() }), closeConnections: () => {} };
    return createKubeClient({
      cluster: { server: 'https://api.test' },
      transport,
      qps: 0,
      ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    });
  };
  async function* singleBytes(count: number) {
    // Each chunk of a socket is a separate object.
    for (let sent = 0; sent < count; sent++) yield Buffer.from('x');
  }
  const megabytes = () => {
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };

  it('a response in single bytes takes memory for its bytes only', async () => {
    let peak = 0;
    const before = megabytes();
    const body = async function* () {
      yield* singleBytes(400_000);
      peak = megabytes();
    };
    expect(await clientOf(body).raw('GET', '/version')).toHaveLength(400_000);
    expect(peak - before).toBeLessThan(25);
  });

  it('pages of a list without end is stopped at the limit of one response', async () => {
    let pages = 0;
    const body = async function* () {
      pages++;
      yield Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { continue: 'more' }, items: [] }));
    };
    await expect(clientOf(body, 100_000).pods.list()).rejects.toMatchObject({ code: 'ResponseTooLarge' });
    expect(pages).toBeLessThan(2_000);
  });
});
