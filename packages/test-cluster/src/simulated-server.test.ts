import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

const pod = '/api/v1/namespaces/default/pods/web';

async function withPod(): Promise<TestCluster> {
  const cluster = await createTestCluster({ nodes: 2 });
  cluster.script('main', {
    logs: ['one', 'two', { text: 'three', afterMs: 20_000 }],
    exit: { afterMs: 30_000, code: 1 },
    exec: ([program = '']) => (program === 'fail' ? { exitCode: 3, stderr: 'no' } : { stdout: program }),
    usage: { nanoCores: 2e8, memoryBytes: 64 * 2 ** 20 },
  });
  cluster.apply(podOf('web'));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  return cluster;
}

/** The body of a response as text; a stream is read while time advances. */
async function ask({ server, clock }: TestCluster, url: string, accept = '*/*'): Promise<{ status: number; text: string }> {
  const { status, body } = await server.handle({ url, headers: { accept } });
  if (typeof body === 'string') return { status, text: body };
  const read = async () => {
    let text = '';
    for await (const piece of body) text += piece;
    return text;
  };
  return { status, text: await clock.run(read()) };
}

describe('a simulated node serves the API server', () => {
  it('logs: all, tail, since, limit, previous, and follow', async () => {
    const cluster = await withPod();
    expect(await ask(cluster, `${pod}/log`)).toEqual({ status: 200, text: 'one\ntwo\n' });
    expect((await ask(cluster, `${pod}/log?tailLines=1`)).text).toBe('two\n');
    expect((await ask(cluster, `${pod}/log?timestamps=true&tailLines=1`)).text).toMatch(/^2026-01-01T00:00:\d\d\.\d{3}Z two\n$/);
    expect((await ask(cluster, `${pod}/log?follow=true`)).text).toBe('one\ntwo\nthree\n');
    await cluster.until(() => cluster.pod('web')?.status?.containerStatuses?.[0]?.restartCount === 1);
    const previous = async (query: string) => (await ask(cluster, `${pod}/log?previous=true${query}`)).text;
    expect(await previous('')).toBe('one\ntwo\nthree\n');
    expect(await previous('&sinceSeconds=15')).toBe('three\n');
    const sinceTime = new Date(cluster.clock.now() - 15_000).toISOString();
    expect(await previous(`&sinceTime=${sinceTime}&timestamps=true`)).toMatch(/^2026-\S+ three\n$/);
    expect(await previous('&limitBytes=6')).toBe('one\ntw');
    expect(await previous('&follow=true&limitBytes=6')).toBe('one\ntw');
    expect((await ask(cluster, `${pod}/log?container=other`)).status).toBe(400);
    await cluster.stop();
  });

  it('the usage of the node and its pods', async () => {
    const cluster = await withPod();
    const name = cluster.pod('web')?.spec?.nodeName ?? '';
    const summary = JSON.parse((await ask(cluster, `/api/v1/nodes/${name}/proxy/stats/summary`)).text);
    expect(summary.pods[0]).toMatchObject({ podRef: { name: 'web' }, memory: { workingSetBytes: 64 * 2 ** 20 } });
    expect((await ask(cluster, `/api/v1/nodes/${name}/proxy/metrics/resource`)).text).toContain('pod="web"');
    const metrics = JSON.parse((await ask(cluster, '/apis/metrics.k8s.io/v1beta1/nodes')).text);
    expect(metrics.items.map(({ usage }: { usage: unknown }) => usage)).toContainEqual({ cpu: '200m', memory: '64Mi' });
    const one = JSON.parse((await ask(cluster, '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/web')).text);
    expect(one).toMatchObject({ kind: 'PodMetrics', containers: [{ name: 'main', usage: { cpu: '200m' } }] });
    expect((await ask(cluster, '/apis/metrics.k8s.io/v1beta1/nodes/other')).status).toBe(404);
    const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { rows } = JSON.parse((await ask(cluster, '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods', table)).text);
    expect(rows.map(({ cells }: { cells: unknown }) => cells)).toEqual([['web', '200m', '64Mi', '10s']]);
    await cluster.stop();
  });

  it('not during a partition', async () => {
    const cluster = await withPod();
    cluster.node(cluster.pod('web')?.spec?.nodeName ?? '').partition();
    expect((await ask(cluster, `${pod}/log`)).status).toBe(503);
    await cluster.stop();
  });
});
