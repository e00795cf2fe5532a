import type { KubeObject, Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

const workload = (kind: string, spec: object, apiVersion = 'apps/v1'): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'web' }, spec }) as KubeObject;
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
const selector = { matchLabels: { app: 'web' } };

it('changes an existing object by server-side apply', async () => {
  const cluster = await createTestCluster();
  const config = (data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data }) as KubeObject;
  cluster.apply(config({ a: '1', b: '1' }));
  cluster.server.objects.update<KubeObject & { data?: object }>('configmaps', 'c', (object) => {
    object.data = { ...object.data, mine: 'kept' };
  });
  cluster.apply(config({ a: '2' }));
  expect(cluster.server.objects.get('configmaps', 'c')).toMatchObject({ data: { a: '2', mine: 'kept' } });
  expect((cluster.server.objects.get('configmaps', 'c') as unknown as { data: object }).data).not.toHaveProperty('b');
  const own = config({ mine: 'taken' });
  expect(() => cluster.apply(own)).toThrow(/^Apply failed with 1 conflict: conflict with "test"/);
  cluster.apply(own, { force: true });
  expect(cluster.server.objects.get('configmaps', 'c')).toMatchObject({ data: { mine: 'taken' } });
  expect(await cluster.stop()).toBe(0);
});

it('rolls a Deployment out that is applied again, and keeps the scale of others', async () => {
  const cluster = await createTestCluster();
  const spec = { replicas: 2, selector, template };
  cluster.apply(workload('Deployment', spec));
  const images = () => cluster.pods().map((pod) => `${pod.spec?.containers[0]?.image} ${pod.status?.phase}`);
  await cluster.until(() => images().join() === 'app:1 Running,app:1 Running');
  const next = { ...template, spec: { containers: [{ name: 'main', image: 'app:2' }] } };
  cluster.apply(workload('Deployment', { ...spec, template: next }));
  await cluster.until(() => images().join() === 'app:2 Running,app:2 Running');
  expect(await cluster.stop()).toBe(0);
});

it('creates objects with a generated name, and a Node with its status', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const { name, ...metadata } = { ...podOf('p').metadata, generateName: 'p-' };
  cluster.apply({ ...podOf('p'), metadata });
  expect(cluster.pods()[0]?.metadata?.name).toMatch(/^p-.{5}$/);
  cluster.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { allocatable: { cpu: '2' } } } as KubeObject);
  expect(cluster.server.objects.get('nodes', 'n')).toMatchObject({ status: { allocatable: { cpu: '2' } } });
  expect(await cluster.stop()).toBe(0);
});

it('runs the pods of a StatefulSet in order', async () => {
  const cluster = await createTestCluster();
  cluster.apply(workload('StatefulSet', { replicas: 3, serviceName: 'web', selector, template }));
  const ready = () => (cluster.server.objects.get('statefulsets', 'web') as { status?: { readyReplicas?: number } }).status?.readyReplicas;
  await cluster.until(() => ready() === 3);
  expect(cluster.pods().map(({ metadata }) => metadata?.name)).toEqual(['web-0', 'web-1', 'web-2']);
  const first = cluster.pod('web-1')?.metadata?.uid;
  cluster.server.objects.delete('pods', 'web-1');
  await cluster.until(() => cluster.pod('web-1')?.metadata?.uid !== first);
  await cluster.until(() => ready() === 3);
  expect(await cluster.stop()).toBe(0);
});

it('reports what it waited for, and the state of the cluster', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  cluster.scriptImage('absent:1', { pullError: 'no such host' });
  cluster.apply(podOf('lost', { image: 'absent:1' }));
  cluster.apply(podOf('web'));
  cluster.apply(workload('Deployment', { replicas: 0, selector, template }));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  cluster.node('node-2').partition();
  const error = await cluster.until(() => cluster.pod('lost')?.status?.phase === 'Running', '2m').catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'ConditionNotMet' });
  const lines = String((error as Error).message).split('\n');
  expect(lines[0]).toMatch(
    /^virtual clock: the condition does not hold after 120000 ms of virtual time: cluster\.pod\(.lost.\)\?\.status\?\.phase === .Running.$/,
  );
  expect(lines[1]).toMatch(/^ {2}2026-01-01T00:0\d:\d\dZ: 1 of 2 nodes are Ready, /);
  expect(lines[2]).toBe('  node node-2: Ready=Unknown, its agent runs, it is partitioned');
  expect(lines[3]).toBe('  Deployment default/web: 0 of 0 pods are Ready');
  expect(lines.slice(4).join('\n')).toMatch(/pod default\/lost: it is Pending on node-\d: main waits \((ImagePullBackOff|ErrImagePull)\)/);
  expect(await cluster.stop()).toBe(0);
});

it('passes an error of the predicate on', async () => {
  const cluster = await createTestCluster({ nodes: 0 });
  const wrong = () => (cluster.pod('none') as Pod).metadata?.name === '';
  await expect(cluster.until(wrong)).rejects.toThrow(TypeError);
  await cluster.stop();
});

it('applies an object without its undefined fields, as a request does', async () => {
  const cluster = await createTestCluster();
  const containers = [{ name: 'main', image: 'web:1', livenessProbe: undefined }];
  cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } });
  expect(cluster.pod('web')?.spec?.containers?.[0]?.image).toBe('web:1');
  await cluster.stop();
});
