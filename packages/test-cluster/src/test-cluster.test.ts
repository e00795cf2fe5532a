import type { KubeObject } from '@nodeagent/api';
import { type PodMatchers, podMatchers } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as vitest declares it.
  interface Matchers<T = any> extends PodMatchers<T> {}
}
expect.extend(podMatchers);

const deployment = (name: string, replicas: number) =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
    },
  }) as KubeObject;

describe('a test cluster', () => {
  it('runs pods on its nodes according to their scripts', async () => {
    const cluster = await createTestCluster({ nodes: 3 });
    cluster.script({ pod: 'job' }, { exit: { afterMs: 60_000, code: 3 } });
    cluster.script({ pod: 'hog' }, [{ exit: { afterMs: 5_000, code: 137, reason: 'OOMKilled' } }, {}]);
    cluster.scriptImage('absent:1', { pullError: 'no such host' });
    cluster.apply(podOf('job', {}, { restartPolicy: 'Never' }));
    cluster.apply(podOf('hog'));
    cluster.apply(podOf('lost', { image: 'absent:1' }));
    cluster.apply(deployment('web', 6));
    await cluster.until(() => cluster.pods({ labelSelector: 'app=web' }).filter(({ status }) => status?.phase === 'Running').length === 6);
    expect(new Set(cluster.pods().map(({ spec }) => spec?.nodeName)).size).toBe(3);
    expect(cluster.pod('job')).toBeRunning();
    await cluster.advance('5m');
    expect(cluster.pod('job')).toHaveFailed();
    expect(cluster.pod('job')?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
    expect(cluster.pod('hog')).toHaveRestarted(1);
    expect(cluster.pod('hog')?.status?.containerStatuses?.[0]?.lastState?.terminated?.reason).toBe('OOMKilled');
    expect(cluster.pod('lost')).not.toBeRunning();
    expect(await cluster.stop()).toBe(0);
  });

  it('leaves no timer of a container that would exit later', async () => {
    const cluster = await createTestCluster();
    cluster.script('main', { exit: { afterMs: 3_600_000, code: 1 } });
    cluster.apply(podOf('web'));
    await cluster.advance('1m');
    expect(cluster.pod('web')).toBeRunning();
    expect(await cluster.stop()).toBe(0);
  });

  it('takes the time of the scripts for pulls, starts and runs', async () => {
    const cluster = await createTestCluster();
    cluster.scriptImage('big:1', { pullMs: 90_000 });
    cluster.script({ pod: 'slow' }, { startMs: 30_000 });
    cluster.script({ pod: 'crash' }, [
      { exit: { afterMs: 1_000, code: 1 } },
      { exit: { afterMs: 1_000, code: 1 } },
      { exit: { code: 1 } },
      {},
    ]);
    // Image pulls are serial.
    cluster.apply(podOf('crash'));
    cluster.apply(podOf('slow', { image: 'big:1' }));
    await cluster.advance('118s');
    expect(cluster.pod('slow')).not.toBeRunning();
    expect(cluster.pod('crash')).toHaveRestarted(3);
    await cluster.advance('5s');
    expect(cluster.pod('slow')).toBeRunning();
    expect(await cluster.stop()).toBe(0);
  });

  it('has successful probes for running containers, unless a script sets another result', async () => {
    const cluster = await createTestCluster();
    const readinessProbe = { httpGet: { port: 'http' }, periodSeconds: 1 };
    const container = { ports: [{ name: 'http', containerPort: 8080 }], readinessProbe };
    cluster.script({ pod: 'slow' }, { serves: (runningMs, port) => port === 8080 && runningMs >= 30_000 });
    for (const name of ['quick', 'slow']) cluster.apply(podOf(name, container));
    cluster.apply(podOf('dead', { ...container, livenessProbe: { tcpSocket: { port: 81 }, failureThreshold: 1, periodSeconds: 10 } }));
    cluster.script({ pod: 'dead' }, { serves: (_, port) => port !== 81 });
    await cluster.advance('10s');
    expect(cluster.pod('quick')).toBeReady();
    expect(cluster.pod('slow')).not.toBeReady();
    await cluster.advance('30s');
    expect(cluster.pod('slow')).toBeReady();
    expect(cluster.pod('dead')).toHaveRestarted();
    await cluster.stop();
  });

  it('adds and removes nodes', async () => {
    const cluster = await createTestCluster({ nodes: [{ name: 'a', labels: { zone: 'x' } }], node: { capacity: { cpu: '2' } } });
    await cluster.addNode({ name: 'b', taints: [{ key: 'only', effect: 'NoSchedule' }] });
    await cluster.until(() => cluster.node('b').condition('Ready') === 'True');
    expect(cluster.node('a').object()?.metadata?.labels).toMatchObject({ zone: 'x' });
    expect(cluster.node('b').object()?.status?.capacity?.cpu).toBe('2');
    for (const name of ['p', 'q']) cluster.apply(podOf(name));
    await cluster.advance('10s');
    expect(cluster.pods().map(({ spec }) => spec?.nodeName)).toEqual(['a', 'a']);
    await cluster.removeNode('b');
    expect(() => cluster.node('b')).toThrow(expect.objectContaining({ code: 'UnknownNode' }));
    await expect(cluster.addNode({ name: 'a' })).rejects.toMatchObject({ code: 'UnknownNode' });
    expect(await cluster.stop()).toBe(0);
  });

  it.each([
    [{ nodes: -1 }, 'nodes'],
    [{ nodes: [{ name: 'a' }, { name: 'a' }] }, 'nodes'],
    [{ seed: 0.5 }, 'seed'],
    [{ traceLimit: -1 }, 'traceLimit'],
  ])('refuses %j', async (options, field) => {
    await expect(createTestCluster(options)).rejects.toMatchObject({ code: 'InvalidOption', details: { field } });
  });

  it('rejects invalid durations', async () => {
    const cluster = await createTestCluster();
    await expect(async () => cluster.advance('5 minutes')).rejects.toMatchObject({ code: 'InvalidDuration' });
    await cluster.stop();
  });
});

describe('the same seed', () => {
  /** A quarter of an hour with many events. */
  async function run(seed: number): Promise<readonly string[]> {
    const cluster = await createTestCluster({
      nodes: 3,
      seed,
      faults: {
        cri: [{ method: 'startContainer', error: 'CRI_UNAVAILABLE', times: 2 }],
        api: [{ status: 500, times: 20, probability: 0.3 }],
      },
    });
    cluster.script({ pod: /^web/ }, { exit: { afterMs: 90_000, code: 1 } });
    cluster.apply(deployment('web', 5));
    await cluster.advance('3m');
    cluster.node('node-1').crash('machine');
    cluster.node('node-2').partition('silent');
    await cluster.advance('2m');
    await cluster.node('node-1').restart();
    cluster.node('node-2').heal();
    cluster.node('node-3').pressure({ memory: '100%' });
    await cluster.advance('3m');
    await cluster.stop();
    return cluster.trace.lines;
  }

  it('gives the same run, byte for byte, and another seed another run', async () => {
    const [first, second, other] = [await run(7), await run(7), await run(8)];
    expect(first.length).toBeGreaterThan(1_000);
    expect(second).toEqual(first);
    expect(other).not.toEqual(first);
  });
});
