import type { KubeObject } from '@nodeagent/api';
import type { Program } from '@nodeagent/memory-runtime';
import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

const never = () => new Promise<undefined>(() => {});

/** The log lines of a pod, of all runs of its container. */
function logs(cluster: TestCluster, pod: string): string[] {
  return cluster.nodes.flatMap(({ runtime }) =>
    runtime.containers().flatMap((container) => (container.pod === pod ? runtime.logs(container.id) : [])),
  );
}

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
    cluster.image('client:1', client('http://shop.default.svc.cluster.local'));
    cluster.apply(serviceOf('shop'));
    cluster.apply(deploymentOf('shop', 'shop:1', 1, readiness));
    cluster.apply(podOf('client', { image: 'client:1' }));
    await cluster.until(() => logs(cluster, 'client').at(-1) === '200 ok');
    state.ready = false;
    await cluster.until(() => logs(cluster, 'client').at(-1) === 'ECONNREFUSED');
    const [slice] = cluster.server.objects.list<KubeObject & { endpoints: object[] }>('endpointslices');
    expect(slice?.endpoints).toMatchObject([{ conditions: { ready: false, serving: false, terminating: false }, nodeName: 'node-1' }]);
    state.ready = true;
    await cluster.until(() => logs(cluster, 'client').at(-1) === '200 ok');
    cluster.server.objects.delete('services', 'shop');
    await cluster.until(() => logs(cluster, 'client').at(-1) === 'ENOTFOUND');
    expect(cluster.server.objects.list('endpointslices')).toEqual([]);
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

describe('the files of a program', () => {
  it('are its volumes, as the agent mounts and updates them', async () => {
    const cluster = await createTestCluster();
    cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'slow' } } as KubeObject);
    cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { password: 'cHc=' } } as KubeObject);
    cluster.image('writer:1', async ({ files, sleep }) => {
      files.write('/data/greeting', 'hello');
      await sleep(1e9);
    });
    cluster.image('reader:1', async ({ files, sleep, stdout, argv, env, cwd }) => {
      const refusal = (run: () => void) => {
        try {
          run();
          return 'none';
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      stdout(`${argv.join(' ')} ${env.LEVEL} ${cwd}`);
      stdout(`${files.readText('/etc/login/password')} ${files.readText('/etc/pod/labels')}`);
      stdout(refusal(() => files.write('/etc/config/mode', 'x')));
      stdout(refusal(() => files.write('/shared/x', 'x')));
      for (;;) {
        stdout([files.exists('/shared/greeting'), files.readText('/etc/config/mode'), files.readText('/etc/mode')].join(' '));
        await sleep(30_000);
      }
    });
    const mount = (name: string, mountPath: string, more: object = {}) => ({ name, mountPath, ...more });
    cluster.apply({
      ...podOf('p', {}),
      metadata: { name: 'p', labels: { app: 'p' } },
      spec: {
        volumes: [
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'login', secret: { secretName: 'login' } },
          { name: 'pod', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'data', emptyDir: {} },
        ],
        containers: [
          { name: 'writer', image: 'writer:1', volumeMounts: [mount('data', '/data')] },
          {
            name: 'reader',
            image: 'reader:1',
            command: ['read', '$(LEVEL)'],
            args: ['all'],
            workingDir: '/srv',
            env: [{ name: 'LEVEL', value: '3' }],
            volumeMounts: [
              mount('config', '/etc/config'),
              mount('config', '/etc/mode', { subPath: 'mode' }),
              mount('login', '/etc/login'),
              mount('pod', '/etc/pod'),
              mount('data', '/shared', { readOnly: true }),
            ],
          },
        ],
      },
    } as KubeObject);
    await cluster.advance('20s');
    cluster.server.objects.update<KubeObject & { data: object }>('configmaps', 'settings', (settings) => {
      settings.data = { mode: 'fast' };
    });
    await cluster.advance('3m');
    const lines = logs(cluster, 'p');
    expect(lines.slice(0, 5)).toEqual(['read 3 all 3 /srv', 'pw app="p"', 'EROFS', 'EROFS', 'true slow slow']);
    expect(lines.at(-1)).toBe('true fast slow');
    await cluster.stop();
  });

  it('have the termination message, or the log has it', async () => {
    const cluster = await createTestCluster();
    cluster.image('job:1', ({ files, argv, stderr }) => {
      if (argv[0] === 'write') files.write('/dev/termination-log', 'out of stock');
      stderr('last line');
      return 3;
    });
    const spec = { restartPolicy: 'Never' as const };
    cluster.apply(podOf('file', { image: 'job:1', command: ['write'] }, spec));
    cluster.apply(podOf('log', { image: 'job:1', command: ['fail'], terminationMessagePolicy: 'FallbackToLogsOnError' }, spec));
    const ended = (name: string) => cluster.pod(name)?.status?.containerStatuses?.[0]?.state?.terminated;
    await cluster.until(() => ended('file') !== undefined && ended('log') !== undefined);
    expect([ended('file'), ended('log')]).toMatchObject([
      { exitCode: 3, reason: 'Error', message: 'out of stock' },
      { exitCode: 3, reason: 'Error', message: 'last line\n' },
    ]);
    await cluster.stop();
  });
});

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

describe('a probe', () => {
  const program: Program = ({ listen, onExec, sleep }) => {
    const state = { healthy: true };
    void sleep(30_000).then(() => {
      state.healthy = false;
    });
    listen(8080, ({ path }) => ({ status: path === '/healthz' && !state.healthy ? 500 : 200 }));
    const tcp = listen(9090);
    void sleep(30_000).then(() => tcp.close());
    listen(50051, { health: (service) => (service === 'shop' && state.healthy ? 'SERVING' : 'NOT_SERVING') });
    onExec('check', ({ stdout }) => {
      stdout(state.healthy ? 'fine' : 'broken');
      return state.healthy ? 0 : 7;
    });
    onExec('hang', never);
    return never();
  };
  const cases: [kind: string, probe: object, message: RegExp][] = [
    ['HTTP', { httpGet: { path: '/healthz', port: 'http' } }, /^Liveness probe failed: HTTP probe failed with statuscode: 500$/],
    ['TCP', { tcpSocket: { port: 9090 } }, /^Liveness probe failed: dial tcp 10\.64\.0\.\d+:9090: connect: connection refused$/],
    ['gRPC', { grpc: { port: 50051, service: 'shop' } }, /^Liveness probe failed: service unhealthy \(responded with "NOT_SERVING"\)$/],
    ['exec', { exec: { command: ['check'] } }, /^Liveness probe failed: broken$/],
  ];
  it.each(cases)('over %s reaches the program, and restarts it when it fails', async (_, probe, message) => {
    const cluster = await createTestCluster();
    cluster.image('app:1', program);
    const ports = [{ name: 'http', containerPort: 8080 }];
    cluster.apply(
      podOf('web', { ports, livenessProbe: { ...probe, periodSeconds: 5, failureThreshold: 2 } }, { terminationGracePeriodSeconds: 5 }),
    );
    await cluster.advance('25s');
    expect(cluster.pod('web')?.status?.containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
    await cluster.until(() => cluster.pod('web')?.status?.containerStatuses?.[0]?.restartCount === 1, '1m');
    // As PID 1 the program ignores SIGTERM.
    expect(cluster.pod('web')?.status?.containerStatuses?.[0]?.lastState?.terminated).toMatchObject({ exitCode: 137 });
    const events = cluster.server.objects.list<KubeObject & { reason: string; message: string }>('events');
    expect(events.filter(({ reason }) => reason === 'Unhealthy').map((event) => event.message)).toContainEqual(
      expect.stringMatching(message),
    );
    await cluster.stop();
  });

  it.each([
    ['HTTP', { httpGet: { path: '/', port: 8080 } }, /^Readiness probe failed: Get "http:\/\/[\d.:]+\/": context deadline exceeded/],
    ['gRPC', { grpc: { port: 8081 } }, /^Readiness probe failed: timeout: health rpc did not complete within 1s$/],
    ['exec', { exec: { command: ['hang'] } }, /^Readiness probe failed: command timed out: "hang" timed out after 1s$/],
  ])('over %s times out', async (_, probe, message) => {
    const cluster = await createTestCluster();
    cluster.image('app:1', ({ listen, onExec }) => {
      listen(8080, never);
      listen(8081, { health: never });
      onExec('hang', never);
      return never();
    });
    cluster.apply(podOf('web', { readinessProbe: probe }));
    const messages = () => cluster.server.objects.list<KubeObject & { message: string }>('events').map((event) => event.message);
    await cluster.until(() => messages().some((each) => message.test(each)), '2m');
    expect(cluster.pod('web')?.status?.containerStatuses?.[0]).toMatchObject({ ready: false, started: true });
    await cluster.stop();
  });
});

it('runs hooks in the program: preStop before the stop signal, which may be another one', async () => {
  const cluster = await createTestCluster();
  cluster.image('app:1', ({ onExec, onSignal, stdout, sleep }) => {
    onExec('drain', async () => {
      stdout('draining');
      await sleep(2_000);
    });
    return new Promise((resolve) => {
      onSignal('SIGTERM', () => {
        stdout('SIGTERM');
        resolve(0);
      });
    });
  });
  cluster.apply(podOf('web', { lifecycle: { preStop: { exec: { command: ['drain'] } } } }));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  const lines: string[] = [];
  cluster.server.objects.delete('pods', 'web');
  await cluster.until(() => {
    const now = logs(cluster, 'web');
    if (now.length > 0) lines.splice(0, lines.length, ...now);
    return cluster.pod('web') === undefined;
  });
  expect(lines).toEqual(['draining', 'SIGTERM']);
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
