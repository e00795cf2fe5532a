import type { KubeObject } from '@nodeagent/api';
import type { Program } from '@nodeagent/memory-runtime';
import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';
import { logs, never } from './test-programs.js';

const deploymentOf = (name: string, image: string, replicas: number, container: object = {}): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image, ...container }] } },
    },
  }) as KubeObject;

const serviceOf = (name: string, spec: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }], ...spec },
  }) as KubeObject;

const readyPods = (cluster: TestCluster, app: string) =>
  cluster
    .pods({ labelSelector: `app=${app}` })
    .filter(
      ({ status, metadata }) =>
        !metadata?.deletionTimestamp && status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );

/** Sends a request each second, and logs the status or the code of the error. */
const client =
  (url: string): Program =>
  async ({ fetch, sleep, stdout }) => {
    for (;;) {
      const text = await fetch(url).then(
        async (response) => `${response.status} ${await response.text()}`,
        (error) => error.cause.code,
      );
      stdout(text);
      await sleep(1_000);
    }
  };

/** A shop that is ready after 5 s, and completes requests after SIGTERM. */
const shop =
  (version: string): Program =>
  async ({ listen, sleep, signal, hostname, now }) => {
    const readyAt = now() + 5_000;
    const server = listen(8080, ({ path }) => {
      if (path === '/ready') return { status: now() >= readyAt ? 200 : 503 };
      return `${version} ${hostname}`;
    });
    await sleep(1e9, signal).catch(() => sleep(3_000));
    server.close();
    return 0;
  };

const readiness = { readinessProbe: { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 1 } };

describe('programs as images', () => {
  it('are replaced by a rolling update without failed requests', async () => {
    const cluster = await createTestCluster({ nodes: 2 });
    cluster.image('shop:1', shop('v1'));
    cluster.image('shop:2', shop('v2'));
    cluster.image('client:1', client('http://shop/'));
    cluster.apply(serviceOf('shop'));
    cluster.apply(deploymentOf('shop', 'shop:1', 3, readiness));
    await cluster.until(() => readyPods(cluster, 'shop').length === 3);
    cluster.apply(podOf('client', { image: 'client:1' }));
    await cluster.advance('20s');
    cluster.apply(deploymentOf('shop', 'shop:2', 3, readiness));
    await cluster.advance('2m');
    const lines = logs(cluster, 'client');
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.filter((line) => !/^200 v[12] shop-/.test(line))).toEqual([]);
    // The requests go to all pods in turn.
    const servers = (version: string) => new Set(lines.filter((line) => line.includes(version)).map((line) => line.split(' ')[2])).size;
    expect([servers('v1'), servers('v2')]).toEqual([3, 3]);
    expect(lines.at(-1)).toMatch(/^200 v2/);
    expect(await cluster.stop()).toBe(0);
  });

  it('get requests only while they are ready; a Service without endpoints refuses', async () => {
    const cluster = await createTestCluster();
    const state = { ready: true };
    cluster.image('shop:1', ({ listen }) => {
      listen(8080, ({ path }) => (path === '/ready' && !state.ready ? { status: 503 } : 'ok'));
      return never();
    });
    const labelSelector = 'kubernetes.io/service-name=shop';
    cluster.image('client:1', client('http://shop.default.svc.cluster.local'));
    cluster.apply(serviceOf('shop'));
    cluster.apply(deploymentOf('shop', 'shop:1', 1, readiness));
    cluster.apply(podOf('client', { image: 'client:1' }));
    await cluster.until(() => logs(cluster, 'client').at(-1) === '200 ok');
    state.ready = false;
    await cluster.until(() => logs(cluster, 'client').at(-1) === 'ECONNREFUSED');
    const slices = () => cluster.server.objects.list<KubeObject & { endpoints: object[] }>('endpointslices', { labelSelector });
    const [slice] = slices();
    expect(slice?.endpoints).toMatchObject([{ conditions: { ready: false, serving: false, terminating: false }, nodeName: 'node-1' }]);
    state.ready = true;
    await cluster.until(() => logs(cluster, 'client').at(-1) === '200 ok');
    cluster.server.objects.delete('services', 'shop');
    await cluster.until(() => logs(cluster, 'client').at(-1) === 'ENOTFOUND');
    expect(slices()).toEqual([]);
    await cluster.stop();
  });

  it('reach the pods of a headless Service by name', async () => {
    const cluster = await createTestCluster();
    cluster.image('db:1', ({ listen, hostname }) => {
      listen(5432, () => hostname);
      return never();
    });
    cluster.apply(serviceOf('db', { clusterIP: 'None', ports: [{ port: 5432 }], publishNotReadyAddresses: true }));
    const spec = {
      serviceName: 'db',
      replicas: 2,
      selector: { matchLabels: { app: 'db' } },
      template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'main', image: 'db:1' }] } },
    };
    cluster.apply({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec } as KubeObject);
    await cluster.until(() => readyPods(cluster, 'db').length === 2);
    cluster.image('client:1', async ({ fetch, stdout, hostname }) => {
      for (const host of ['db-1.db', 'db-0.db.default.svc', 'db', 'db']) stdout(await (await fetch(`http://${host}:5432`)).text());
      stdout(hostname);
      return 0;
    });
    cluster.apply(podOf('client', { image: 'client:1' }, { restartPolicy: 'Never' }));
    await cluster.until(() => cluster.pod('client')?.status?.phase === 'Succeeded');
    expect(logs(cluster, 'client')).toEqual(['db-1', 'db-0', 'db-0', 'db-1', 'client']);
    await cluster.stop();
  });

  it.each([
    ['partition', 'refused'],
    ['partition', 'silent'],
    ['crash', 'machine'],
  ] as const)('lose their connections to a node after a %s (%s), and time out', async (fault, kind) => {
    const cluster = await createTestCluster({ nodes: 2 });
    cluster.image('shop:1', ({ listen }) => {
      listen(8080, () => 'ok');
      return never();
    });
    cluster.apply({ ...podOf('shop', { image: 'shop:1' }, { nodeName: 'node-1' }), metadata: { name: 'shop', labels: { app: 'shop' } } });
    cluster.apply(serviceOf('shop'));
    cluster.image('client:1', client('http://shop'));
    cluster.apply(podOf('client', { image: 'client:1' }, { nodeName: 'node-2' }));
    cluster.apply(podOf('near', { image: 'client:1' }, { nodeName: 'node-1' }));
    await cluster.until(() => ['client', 'near'].every((pod) => logs(cluster, pod).at(-1) === '200 ok'));
    const before = logs(cluster, 'client').length;
    const node = cluster.node('node-1');
    if (fault === 'crash') node.crash(kind);
    else node.partition(kind);
    await cluster.advance('25s');
    expect(logs(cluster, 'client').slice(before)).toEqual(['ETIMEDOUT', 'ETIMEDOUT']);
    if (fault === 'crash') await node.restart();
    else {
      expect(logs(cluster, 'near').at(-1)).toBe('200 ok');
      node.heal();
    }
    await cluster.until(() => logs(cluster, 'client').at(-1) === '200 ok');
    await cluster.stop();
  });
});

it('serves kubectl logs and kubectl exec', async () => {
  const cluster = await createTestCluster();
  cluster.image('app:1', ({ onExec, stdout }) => {
    stdout('open');
    onExec('greet', ({ argv, stdout: out, stderr }) => {
      out(`hello ${argv[1]}`);
      stderr('bye');
      return 3;
    });
    return never();
  });
  cluster.apply(podOf('web'));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  const pod = { namespace: 'default', pod: 'web', container: 'main', signal: new AbortController().signal };
  const { httpServer } = cluster.node('node-1');
  expect(await httpServer.exec({ ...pod, command: ['greet', 'you'] })).toEqual({ exitCode: 3, stdout: 'hello you', stderr: 'bye' });
  expect((await cluster.server.handle({ url: '/api/v1/namespaces/default/pods/web/log' })).body).toBe('open\n');
  await cluster.stop();
});

it('runs on nodes that are added later', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  cluster.image('app:1', ({ stdout }) => stdout('here'));
  await cluster.addNode();
  cluster.apply(podOf('web', {}, { restartPolicy: 'Never' }));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Succeeded');
  expect(logs(cluster, 'web')).toEqual(['here']);
  await cluster.stop();
});
