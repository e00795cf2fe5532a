import type { KubeObject } from '@nodeagent/api';
import type { Program } from '@nodeagent/memory-runtime';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';
import { logs, never } from './test-programs.js';

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

it('runs hooks over HTTP in the program, with the kubelet as client', async () => {
  const cluster = await createTestCluster();
  cluster.image('app:1', ({ listen, stdout }) => {
    listen(8080, ({ path, headers, remoteAddress }) => stdout(`${path} ${headers['user-agent']} ${remoteAddress}`));
    return never();
  });
  const httpGet = { path: '/drain', port: 8080 };
  cluster.apply(
    podOf(
      'web',
      { lifecycle: { postStart: { httpGet: { ...httpGet, path: '/warm' } }, preStop: { httpGet } } },
      { terminationGracePeriodSeconds: 3 },
    ),
  );
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  cluster.server.objects.delete('pods', 'web');
  await cluster.advance('1s');
  const client = 'kube-lifecycle/1.36 172.16.0.1';
  expect(logs(cluster, 'web')).toEqual([`/warm ${client}`, `/drain ${client}`]);
  await cluster.stop();
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
