import type { KubeObject } from '@nodeagent/api';
import type { Program } from '@nodeagent/memory-runtime';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';
import { never } from './test-programs.js';

/** A webhook that denies ConfigMaps without a label. */
const hook: Program = async ({ listen }) => {
  listen(9443, async (incoming) => {
    const { apiVersion, kind, request } = (await incoming.json()) as { request: { uid: string; object: KubeObject } } & KubeObject;
    const allowed = request.object.metadata?.labels?.team !== undefined;
    return { json: { apiVersion, kind, response: { uid: request.uid, allowed, status: { message: 'a team is needed' } } } };
  });
  await never();
};

const configuration = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'teams' },
  webhooks: [
    {
      name: 'teams.example.com',
      clientConfig: { service: { namespace: 'default', name: 'hook', path: '/validate' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
} as KubeObject;

const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'hook' },
  spec: { selector: { app: 'hook' }, ports: [{ port: 443, targetPort: 9443 }] },
} as KubeObject;

async function startCluster() {
  const cluster = await createTestCluster();
  cluster.image('hook:1', hook);
  cluster.apply({ ...podOf('hook', { image: 'hook:1' }), metadata: { name: 'hook', labels: { app: 'hook' } } });
  cluster.apply(service);
  await cluster.advance('5s');
  cluster.apply(configuration);
  const create = async (name: string, labels: Record<string, string> = {}) => {
    const body = { metadata: { name, labels } };
    const answer = cluster.server.handle({ method: 'POST', url: '/api/v1/namespaces/default/configmaps', body });
    const { status, body: text } = await cluster.clock.run(answer);
    return [status, JSON.parse(String(text)).message];
  };
  return { cluster, create };
}

it('a program of a pod answers the calls of a webhook', async () => {
  const { cluster, create } = await startCluster();
  expect(await create('a')).toEqual([400, 'admission webhook "teams.example.com" denied the request: a team is needed']);
  expect(await create('b', { team: 'x' })).toEqual([201, undefined]);
  expect(await cluster.stop()).toBe(0);
});

const failed = (why: string) => [
  500,
  'Internal error occurred: failed calling webhook "teams.example.com": failed to call webhook: Post ' +
    `"https://hook.default.svc:443/validate?timeout=10s": ${why}`,
];

it.each<[string, (cluster: TestCluster) => unknown, string]>([
  [
    'exits',
    (cluster) => cluster.server.objects.delete('pods', 'hook', { gracePeriodSeconds: 0 }),
    'no endpoints available for service "hook"',
  ],
  [
    'does not listen',
    (cluster) => cluster.apply({ ...service, spec: { selector: { app: 'hook' }, ports: [{ port: 443 }] } } as KubeObject),
    'dial tcp 10.64.0.2:443: connect: connection refused',
  ],
  ['cannot be reached', (cluster) => cluster.node('node-1').partition('silent'), 'context deadline exceeded'],
])('fails if its program %s', async (_, change, why) => {
  const { cluster, create } = await startCluster();
  change(cluster);
  await cluster.advance('5s');
  expect(await create('a')).toEqual(failed(why));
  await cluster.stop();
});

it('a program of a pod answers requests that the API server proxies', async () => {
  const { cluster } = await startCluster();
  const body = JSON.stringify({ kind: 'AdmissionReview', request: { uid: 'u', object: {} } });
  const ask = async (url: string) => {
    const answer = cluster.server.handle({ method: 'POST', url: `/api/v1/namespaces/default/${url}/proxy/validate`, body });
    const { status, body: text } = await cluster.clock.run(answer);
    return [status, JSON.parse(String(text)).response?.uid];
  };
  expect([await ask('services/https:hook:443'), await ask('pods/hook:9443'), await ask('pods/hook:80')]).toEqual([
    [200, 'u'],
    [200, 'u'],
    [503, undefined],
  ]);
  await cluster.stop();
});
