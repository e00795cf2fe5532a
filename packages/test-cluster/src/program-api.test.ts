import type { KubeObject } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';
import { logs } from './test-programs.js';

it('calls the API server with its token, as far as its roles allow', async () => {
  const cluster = await createTestCluster({ server: { authorizer: 'rbac', automountServiceAccountTokens: true } });
  const { objects } = cluster.server;
  objects.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'lister' } });
  const rules = [{ verbs: ['list', 'watch'], apiGroups: [''], resources: ['pods'] }];
  const rbac = 'rbac.authorization.k8s.io/v1';
  objects.create({ apiVersion: rbac, kind: 'Role', metadata: { name: 'lister' }, rules } as KubeObject);
  objects.create({
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name: 'lister' },
    subjects: [{ kind: 'ServiceAccount', name: 'lister', namespace: 'default' }],
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lister' },
  } as KubeObject);
  cluster.image('lister:1', async ({ files, fetch, stdout }) => {
    const folder = '/var/run/secrets/kubernetes.io/serviceaccount';
    const headers = { authorization: `Bearer ${files.readText(`${folder}/token`)}` };
    const url = `https://kubernetes.default.svc/api/v1/namespaces/${files.readText(`${folder}/namespace`)}`;
    const list = await fetch(`${url}/pods`, { headers });
    const { items } = (await list.json()) as { items: KubeObject[] };
    stdout(`${list.status} ${items.map(({ metadata }) => metadata?.name)}`);
    stdout(`${(await fetch(`${url}/secrets`, { headers })).status} ${(await fetch(`${url}/pods`)).status}`);
    for await (const event of (await fetch(`${url}/pods?watch=true`, { headers })).body) {
      for (const line of event.trim().split('\n')) stdout(JSON.parse(line).object.metadata.name);
    }
  });
  cluster.apply(podOf('lister', { image: 'lister:1' }, { serviceAccountName: 'lister', restartPolicy: 'Never' }));
  await cluster.until(() => logs(cluster, 'lister').length >= 2);
  expect(logs(cluster, 'lister').slice(0, 2)).toEqual(['200 lister', '403 403']);
  cluster.apply(podOf('other'));
  await cluster.until(() => logs(cluster, 'lister').includes('other'));
  expect(await cluster.stop()).toBe(0);
});

it.each([
  ['refused', ['403', 'ECONNREFUSED', '403']],
  ['silent', ['403', 'ETIMEDOUT', '403']],
] as const)('reaches the API server unless its node is partitioned (%s)', async (kind, expected) => {
  const anonymous = { username: 'admin', groups: ['system:masters'] };
  const cluster = await createTestCluster({ server: { authorizer: 'rbac', anonymous } });
  cluster.image('app:1', async ({ fetch, sleep, stdout }) => {
    for (;;) {
      stdout(
        await fetch('https://kubernetes.default.svc/api/v1/pods').then(
          ({ status }) => `${status}`,
          (error) => error.cause.code,
        ),
      );
      await sleep(1_000);
    }
  });
  cluster.apply(podOf('web'));
  const seen = () => logs(cluster, 'web').filter((line, index, lines) => line !== lines[index - 1]);
  await cluster.until(() => seen().length === 1);
  cluster.node('node-1').partition(kind);
  await cluster.until(() => seen().length === 2);
  cluster.node('node-1').heal();
  await cluster.until(() => seen().length === 3);
  expect(seen()).toEqual(expected);
  await cluster.stop();
});
