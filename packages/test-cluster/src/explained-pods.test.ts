import type { Event } from '@nodeagent/api';
import { explainPod, nextRestarts } from '@nodeagent/pod-view';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './index.js';

const pod = (name: string, container: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'app:1', ...container }] },
});

const eventsOf = (cluster: TestCluster) => cluster.server.objects.list<Event>('events', { namespace: 'default' });
const restartOf = (cluster: TestCluster, name: string) =>
  nextRestarts(cluster.pod(name) ?? {}, cluster.clock.now(), { events: eventsOf(cluster) })[0];
const explain = (cluster: TestCluster, name: string) =>
  explainPod(cluster.pod(name) ?? {}, { now: cluster.clock.now(), events: eventsOf(cluster) });

/** A sync is delayed by up to half of the wait, so that pods that failed together are not retried together. */
function expectFrom(time: number, { at = 0, backOffMs = 0 }: { at?: number; backOffMs?: number } = {}) {
  expect(time).toBeGreaterThanOrEqual(at);
  expect(time).toBeLessThanOrEqual(at + backOffMs / 2 + 2_000);
}

it('derives each restart of a crash loop from the status', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  cluster.script('main', [{ exit: { afterMs: 2_000, code: 3 } }]);
  cluster.apply(pod('loop'));
  const status = () => cluster.pod('loop')?.status?.containerStatuses?.[0];
  const delays: (number | undefined)[] = [];
  for (let restarts = 1; restarts <= 7; restarts++) {
    await cluster.until(() => status()?.restartCount === restarts && !status()?.state?.running, '15m');
    const restart = restartOf(cluster, 'loop');
    delays.push(restart?.backOffMs);
    await cluster.until(() => status()?.restartCount === restarts + 1, '15m');
    expectFrom(Date.parse(status()?.state?.running?.startedAt ?? status()?.lastState?.terminated?.startedAt ?? ''), restart);
  }
  expect(delays).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  await cluster.until(() => status()?.state?.waiting !== undefined, '15m');
  expect(restartOf(cluster, 'loop')).toMatchObject({ backOffMs: 300_000, isExact: true });
  expect(explain(cluster, 'loop').sentence).toMatch(
    /^Container main exited with 3 \(Error\) \S+ ago after 8 restarts; its back-off of 5m ends in /,
  );
  expect(await cluster.stop()).toBe(0);
});

it('derives the next pull of an image from the events', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  cluster.scriptImage('absent:1', { pullError: 'no such host' });
  cluster.apply(pod('absent', { image: 'absent:1' }));
  await cluster.advance('5m');
  const pulling = () => eventsOf(cluster).find(({ reason }) => reason === 'Pulling');
  const [restart, pulls] = [restartOf(cluster, 'absent'), pulling()?.count ?? 0];
  expect(restart).toMatchObject({ state: 'imagePull', backOffMs: 10_000 * 2 ** (pulls - 1), isExact: false });
  expect(explain(cluster, 'absent')).toMatchObject({ state: 'imagePull', facts: { image: 'absent:1', pulls } });
  await cluster.until(() => (pulling()?.count ?? 0) > pulls, '15m');
  expectFrom(Date.parse(pulling()?.lastTimestamp ?? ''), restart);
  expect(await cluster.stop()).toBe(0);
});

it('explains a pod by the message of the scheduler', async () => {
  const cluster = await createTestCluster({ nodes: 1 });
  cluster.apply(pod('large', { resources: { requests: { cpu: '64' } } }));
  await cluster.advance('1m');
  expect(explain(cluster, 'large')).toMatchObject({ state: 'unscheduled', reason: 'FailedScheduling' });
  expect(explain(cluster, 'large').sentence).toContain('0/1 nodes are available: 1 Insufficient cpu');
  expect(await cluster.stop()).toBe(0);
});
