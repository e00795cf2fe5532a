import { describe, expect, it } from 'vitest';
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
