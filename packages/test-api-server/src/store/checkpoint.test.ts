import { describe, expect, it } from 'vitest';
import type { ApiMeta } from '../objects.js';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', finalizers: ['example.com/x'] } };

describe('reset', () => {
  it('removes what a test created, whatever would hold it', async () => {
    const { server, call } = setUp();
    server.objects.create(definition);
    server.objects.create(widget);
    server.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    server.objects.create(pod('web', { nodeName: 'n1' }, { finalizers: ['example.com/x'] }));
    server.fault({ match: { verb: 'list' }, status: 500, times: Number.POSITIVE_INFINITY });
    server.reset();
    expect((await call('GET', pods)).body.items).toEqual([]);
    expect((await call('GET', '/apis/example.com/v1/widgets')).status).toBe(404);
    const names = server.objects.list('namespaces').map(({ metadata }) => metadata?.name);
    expect(names).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    server.objects.create(definition);
    expect((await call('GET', '/apis/example.com/v1/widgets')).body.items).toEqual([]);
  });

  it('restores what a test changed or deleted', async () => {
    const { server } = setUp();
    const before = server.objects.get('serviceaccounts', 'default')?.metadata?.uid;
    server.objects.delete('services', 'kubernetes');
    server.objects.update('namespaces', 'default', (namespace) => {
      namespace.metadata = { ...namespace.metadata, labels: { changed: 'yes' } };
    });
    server.reset();
    expect(server.objects.get('services', 'kubernetes')).toBeDefined();
    expect(server.objects.get('namespaces', 'default')?.metadata?.labels).toEqual({ 'kubernetes.io/metadata.name': 'default' });
    expect(server.objects.get('serviceaccounts', 'default')?.metadata?.uid).toBe(before);
    const { revision } = server;
    server.reset();
    expect(server.revision).toBe(revision);
  });

  it('restores a checkpoint', () => {
    const { server } = setUp();
    server.objects.create(definition);
    server.checkpoint();
    server.objects.create({ ...widget, metadata: { name: 'w' } });
    server.reset();
    expect(server.objects.list('widgets')).toEqual([]);
    server.objects.create({ ...widget, metadata: { name: 'w' } });
  });

  it('is visible to open watches', async () => {
    const { server, watch, clock } = setUp();
    const { seen } = await watch(`${pods}?watch=1`);
    server.objects.create(pod('web'));
    server.reset();
    await clock.advance(1);
    expect(seen()).toEqual(['ADDED web', 'DELETED web']);
  });

  it('is visible to watches and pages of lists that began before it', async () => {
    const { server, call, watch, clock } = setUp();
    for (const name of ['a', 'b', 'c']) server.objects.create(pod(name));
    const { revision } = server;
    const { metadata } = (await call('GET', `${pods}?limit=1`)).body;
    server.reset();
    server.objects.create(pod('b'));
    expect(server.revision).toBe(revision + 4);
    const { seen } = await watch(`${pods}?watch=1&resourceVersion=${revision}`);
    const { seen: later } = await watch(`${pods}?watch=1&resourceVersion=${revision + 1}`);
    await clock.advance(1);
    expect(seen()).toEqual(['DELETED a', 'DELETED b', 'DELETED c', 'ADDED b']);
    expect(later()).toEqual(['DELETED b', 'DELETED c', 'ADDED b']);
    const rest = await call('GET', `${pods}?limit=5&continue=${metadata.continue}`);
    expect(rest.body.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['b', 'c']);
  });

  it('restores what quotas and controllers know', async () => {
    const { server, call, clock } = setUp({ workloads: true });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 1, selector: { matchLabels: { a: 'b' } }, template };
    server.objects.create({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web' }, spec });
    server.objects.create({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard: { pods: '2' } } });
    await clock.advance(1000);
    server.checkpoint();
    const used = () => (server.objects.get('resourcequotas', 'few') as { status?: { used: object } }).status?.used;
    expect(used()).toEqual({ pods: '1' });
    const { uid = '' } = server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner' } }).metadata as ApiMeta;
    server.objects.create(pod('other', { nodeName: 'n1' }));
    expect((await call('POST', pods, pod('one-too-many'))).status).toBe(403);
    server.objects.delete('pods', 'other', { gracePeriodSeconds: 0 });
    server.reset();
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
    server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences: [owner] } });
    expect(server.objects.get('configmaps', 'owned')).toBeUndefined();
    expect(used()).toEqual({ pods: '1' });
    const [owned] = server.objects.list('pods');
    server.objects.delete('pods', owned?.metadata?.name ?? '', { gracePeriodSeconds: 0 });
    await clock.advance(1000);
    expect(server.objects.list('pods')).toHaveLength(1);
    expect((await call('POST', pods, pod('other'))).status).toBe(201);
    expect((await call('POST', pods, pod('one-too-many'))).status).toBe(403);
  });

  it('stops controllers from restoring what it removes', async () => {
    const { server, clock } = setUp({ workloads: true });
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template };
    server.objects.create({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec });
    await clock.advance(1000);
    expect(server.objects.list('pods')).toHaveLength(3);
    server.reset();
    await clock.advance(10_000);
    expect(['pods', 'replicasets', 'deployments'].flatMap((resource) => server.objects.list(resource))).toEqual([]);
  });
});
