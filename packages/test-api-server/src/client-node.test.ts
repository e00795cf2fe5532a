import {
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Pod,
} from '@kubernetes/client-node';
import type { Pod } from '@nodeagent/api';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { machineNetwork } from './http/machine-network.js';
import { createTestApiServer, type TestApiServer } from './test-api-server.js';

let server: TestApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A listening server, and the official client's configuration for it. */
async function setUp(tls = false): Promise<{ server: TestApiServer; config: KubeConfig }> {
  server = createTestApiServer({ network: machineNetwork });
  await server.listen({ tls });
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig(tls ? { user: { username: 'jane', groups: ['system:masters'] } } : {}));
  return { server, config };
}

const body: V1Pod = { metadata: { name: 'web', labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };

/** Waits in real time until a condition holds. */
const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 30_000, interval: 5 });

describe('@kubernetes/client-node', () => {
  it('creates, lists, replaces, patches and deletes, over TLS with a client certificate', async () => {
    const { config } = await setUp(true);
    const api = config.makeApiClient(CoreV1Api);
    const created = await api.createNamespacedPod({ namespace: 'default', body });
    expect(created.status?.phase).toBe('Pending');
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);

    const merged = await api.patchNamespacedPod(
      { name: 'web', namespace: 'default', body: { metadata: { annotations: { a: 'b' } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
    expect(merged.metadata?.annotations).toEqual({ a: 'b' });
    const strategic = await api.patchNamespacedPodStatus(
      { name: 'web', namespace: 'default', body: { status: { conditions: [{ type: 'Ready', status: 'True' }] } } },
      setHeaderOptions('Content-Type', PatchStrategy.StrategicMergePatch),
    );
    expect(strategic.status?.conditions).toMatchObject([{ type: 'Ready' }]);
    const json = await api.patchNamespacedPod({
      name: 'web',
      namespace: 'default',
      body: [{ op: 'remove', path: '/metadata/annotations/a' }],
    });
    expect(json.metadata?.annotations ?? {}).toEqual({});

    await expect(api.replaceNamespacedPod({ name: 'web', namespace: 'default', body: created })).rejects.toMatchObject({ code: 409 });
    const { items } = await api.listPodForAllNamespaces({ labelSelector: 'app in (web,other)', fieldSelector: 'status.phase=Pending' });
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['web']);
    await api.deleteNamespacedPod({ name: 'web', namespace: 'default' });
    await expect(api.readNamespacedPod({ name: 'web', namespace: 'default' })).rejects.toMatchObject({ code: 404 });
  });

  it('follows pods with an informer, through broken and expired watches', async () => {
    const { config, server } = await setUp();
    const api = config.makeApiClient(CoreV1Api);
    const list = () => api.listNamespacedPod({ namespace: 'default' });
    const informer = makeInformer(config, '/api/v1/namespaces/default/pods', list);
    const seen: string[] = [];
    for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, ({ metadata }) => seen.push(`${verb} ${metadata?.name}`));
    // An informer also emits an error when it is stopped. Restarting it then would send requests to a closed server without end.
    let following = true;
    informer.on('error', () => setImmediate(() => void (following && informer.start())));
    await informer.start();
    await until(() => server.watches === 1);

    await api.createNamespacedPod({ namespace: 'default', body });
    await until(() => seen.length === 1);
    server.dropWatches('end');
    await until(() => server.watches === 1);
    server.objects.update<Pod>('pods', 'web', (pod) => {
      pod.metadata = { ...pod.metadata, labels: { app: 'other' } };
    });
    await until(() => seen.length === 2);
    server.dropWatches('expire');
    await until(() => server.watches === 1);
    server.dropWatches('cut');
    await until(() => server.watches === 1);
    await api.deleteNamespacedPod({ name: 'web', namespace: 'default' });
    await until(() => seen.length === 3);
    expect(seen).toEqual(['add web', 'update web', 'delete web']);
    following = false;
    await informer.stop();
  });

  it('defines resources and uses them', async () => {
    const { config } = await setUp();
    const objects = KubernetesObjectApi.makeApiClient(config);
    await objects.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'widgets', kind: 'Widget' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer', minimum: 1 } } } },
              },
            },
          },
        ],
      },
    } as never);
    const widgets = config.makeApiClient(CustomObjectsApi);
    const at = { group: 'example.com', version: 'v1', namespace: 'default', plural: 'widgets' };
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec: { size: 3, unknown: true } };
    const created = await widgets.createNamespacedCustomObject({ ...at, body: widget });
    expect(created).toMatchObject({ metadata: { generation: 1 }, spec: { size: 3 } });
    expect(created.spec).not.toHaveProperty('unknown');
    const wrong = { ...widget, metadata: { name: 'x' }, spec: { size: 0 } };
    await expect(widgets.createNamespacedCustomObject({ ...at, body: wrong })).rejects.toThrow('should be greater than or equal to 1');
    const read = await objects.read({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', namespace: 'default' } });
    expect(read).toMatchObject({ spec: { size: 3 } });
  });

  it('scales a deployment and evicts within a budget', async () => {
    const { config, server } = await setUp();
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: 'web' };
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: body.spec as NonNullable<V1Pod['spec']> } };
    await apps.createNamespacedDeployment({ namespace: 'default', body: { metadata: { name: 'web' }, spec } });
    const scale = await apps.readNamespacedDeploymentScale({ name: 'web', namespace: 'default' });
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { selector: 'app=web' } });
    await apps.replaceNamespacedDeploymentScale({ name: 'web', namespace: 'default', body: { ...scale, spec: { replicas: 4 } } });
    const deployment = await apps.readNamespacedDeployment({ name: 'web', namespace: 'default' });
    expect([deployment.spec?.replicas, deployment.metadata?.generation]).toEqual([4, 2]);

    server.objects.create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web' },
      spec: { minAvailable: 1, selector: { matchLabels: labels } },
    } as never);
    const api = config.makeApiClient(CoreV1Api);
    await api.createNamespacedPod({ namespace: 'default', body: { ...body, spec: { ...body.spec, nodeName: 'n' } as never } });
    server.objects.update(
      'pods',
      'web',
      (pod: Pod) => {
        pod.status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      },
      { subresource: 'status' },
    );
    const eviction = { name: 'web', namespace: 'default', body: { metadata: { name: 'web' } } };
    await expect(api.createNamespacedPodEviction(eviction)).rejects.toMatchObject({ code: 429 });
    server.objects.delete('poddisruptionbudgets', 'web');
    await api.createNamespacedPodEviction(eviction);
    const evicted = await api.readNamespacedPod({ name: 'web', namespace: 'default' });
    expect(evicted.metadata?.deletionGracePeriodSeconds).toBe(30);
    expect(evicted.status?.conditions?.map(({ type }) => type)).toContain('DisruptionTarget');
  });
});
