import type { KubeObject, Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';

interface Stored extends KubeObject {
  spec: Record<string, unknown>;
  status?: Record<string, unknown>;
}

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } };
const selector = { matchLabels: { app: 'web' } };
const object = (apiVersion: string, kind: string, spec: object, name = 'web') =>
  ({ apiVersion, kind, metadata: { name }, spec }) as unknown as KubeObject;

const get = (cluster: TestCluster, resource: string, name = 'web') => cluster.server.objects.get<Stored>(resource, name) as Stored;
const events = (cluster: TestCluster, reason: string) =>
  cluster.server.objects.list<KubeObject & { reason: string; message: string }>('events').filter((event) => event.reason === reason);
const ownerNames = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.ownerReferences?.[0]?.name);

describe('ReplicationController', () => {
  it('adopts pods with its labels, and releases those that lose them', async () => {
    const cluster = await createTestCluster();
    cluster.apply({ ...template, apiVersion: 'v1', kind: 'Pod', metadata: { name: 'earlier', labels: { app: 'web' } } } as KubeObject);
    cluster.apply(object('v1', 'ReplicationController', { replicas: 1, selector: { app: 'web' }, template }));
    await cluster.until(() => get(cluster, 'replicationcontrollers').status?.readyReplicas === 1);
    expect(ownerNames(cluster.pods())).toEqual(['web']);
    cluster.server.objects.update<Pod & KubeObject>('pods', 'earlier', (pod) => {
      pod.metadata = { ...pod.metadata, labels: { app: 'other' } };
    });
    await cluster.until(() => cluster.pods().length === 2);
    expect(ownerNames([cluster.pod('earlier') as Pod])).toEqual([undefined]);
    const [created] = cluster.pods().filter(({ metadata }) => metadata?.name !== 'earlier');
    expect(events(cluster, 'SuccessfulCreate').map(({ message }) => message)).toEqual([`Created pod: ${created?.metadata?.name}`]);
    expect(await cluster.stop()).toBe(0);
  });

  it('reports in a condition that a quota refuses its pods, and tries again', async () => {
    const cluster = await createTestCluster({ server: { enableAdmissionPlugins: ['ResourceQuota'] } });
    cluster.apply(object('v1', 'ResourceQuota', { hard: { pods: '2' } }, 'few'));
    await cluster.advance('1s');
    cluster.apply(object('v1', 'ReplicationController', { replicas: 3, selector: { app: 'web' }, template }));
    const conditions = () => (get(cluster, 'replicationcontrollers').status?.conditions ?? []) as { message: string }[];
    await cluster.until(() => conditions().length === 1);
    expect(conditions()).toMatchObject([{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }]);
    expect(conditions()[0]?.message).toMatch(/^pods "web-.{5}" is forbidden: exceeded quota: few,/);
    expect(events(cluster, 'FailedCreate')[0]?.message).toMatch(/^Error creating: pods "web-/);
    cluster.server.objects.delete('resourcequotas', 'few');
    await cluster.until(() => cluster.pods().length === 3);
    await cluster.until(() => conditions().length === 0);
    expect(await cluster.stop()).toBe(0);
  });
});

it('keeps the status of a PodDisruptionBudget', async () => {
  const cluster = await createTestCluster();
  cluster.apply(object('policy/v1', 'PodDisruptionBudget', { minAvailable: '50%', selector }));
  const status = () => get(cluster, 'poddisruptionbudgets').status ?? {};
  await cluster.until(() => status().observedGeneration === 1);
  expect(status()).toMatchObject({ disruptionsAllowed: 0, expectedPods: 0 });
  cluster.apply(object('apps/v1', 'Deployment', { replicas: 3, selector, template }));
  await cluster.until(() => status().disruptionsAllowed === 1);
  expect(status()).toMatchObject({ currentHealthy: 3, desiredHealthy: 2, expectedPods: 3 });
  cluster.server.objects.update<Stored>('deployments', 'web', ({ spec }) => {
    spec.replicas = 6;
  });
  await cluster.until(() => status().expectedPods === 6);
  expect(await cluster.stop()).toBe(0);
});

it('starts the Jobs of a CronJob, and reports them', async () => {
  const cluster = await createTestCluster();
  cluster.script({}, { exit: { afterMs: 90_000, code: 0 } });
  const podTemplate = { spec: { ...template.spec, restartPolicy: 'Never' } };
  const jobTemplate = { spec: { template: podTemplate } };
  cluster.apply(object('batch/v1', 'CronJob', { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate }));
  await cluster.until(() => (get(cluster, 'cronjobs').status?.active as object[] | undefined)?.length === 1);
  await cluster.until(() => get(cluster, 'cronjobs').status?.lastSuccessfulTime !== undefined);
  expect(cluster.pods()[0]?.status?.phase).toBe('Succeeded');
  expect(events(cluster, 'JobAlreadyActive')).not.toHaveLength(0);
  expect(events(cluster, 'SawCompletedJob')[0]?.message).toMatch(/^Saw completed job: web-\d+, condition: Complete$/);
  cluster.server.objects.delete('cronjobs', 'web');
  await cluster.until(() => cluster.pods().length === 0);
  expect(await cluster.stop()).toBe(0);
});

it('provisions the volumes of a StatefulSet on the nodes of its pods', async () => {
  const cluster = await createTestCluster();
  const standard = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'standard' }, provisioner: 'simulated' };
  cluster.apply({ ...standard, volumeBindingMode: 'WaitForFirstConsumer' } as unknown as KubeObject);
  const claim = { accessModes: ['ReadWriteOnce'], storageClassName: 'standard', resources: { requests: { storage: '1Gi' } } };
  const container = { name: 'main', image: 'app:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  cluster.apply(
    object('apps/v1', 'StatefulSet', {
      replicas: 2,
      serviceName: 'web',
      selector,
      template: { metadata: template.metadata, spec: { containers: [container] } },
      volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: claim }],
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
    }),
  );
  await cluster.until(() => get(cluster, 'statefulsets').status?.readyReplicas === 2);
  const claims = () => cluster.server.objects.list<Stored>('persistentvolumeclaims').map(({ status }) => status?.phase);
  const volumes = () => cluster.server.objects.list<Stored>('persistentvolumes');
  expect([claims(), volumes().length]).toEqual([['Bound', 'Bound'], 2]);
  cluster.server.objects.update<Stored>('statefulsets', 'web', ({ spec }) => {
    spec.replicas = 1;
  });
  await cluster.until(() => claims().length === 1 && volumes().length === 1);
  cluster.server.objects.delete('statefulsets', 'web');
  await cluster.until(() => claims().length === 0 && volumes().length === 0);
  expect(await cluster.stop()).toBe(0);
});

it('gives a Service endpoints when its first pod comes later', async () => {
  const cluster = await createTestCluster();
  cluster.apply(object('v1', 'Service', { selector: { app: 'web' }, ports: [{ port: 80 }] }));
  await cluster.advance('5s');
  const slices = () => cluster.server.objects.list<KubeObject & { endpoints: unknown[] | null }>('endpointslices');
  expect(slices().find(({ metadata }) => metadata?.name?.startsWith('web-'))?.endpoints).toBe(null);
  cluster.apply({ ...template, apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', labels: { app: 'web' } } } as KubeObject);
  await cluster.advance('10s');
  expect(slices().find(({ metadata }) => metadata?.name?.startsWith('web-'))?.endpoints).toHaveLength(1);
  expect(await cluster.stop()).toBe(0);
});
