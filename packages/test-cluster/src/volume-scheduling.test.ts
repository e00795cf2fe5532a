import type { KubeObject, PersistentVolume, PersistentVolumeClaim } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';

const storageClass = (provisioner: string): KubeObject =>
  ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'late' },
    provisioner,
    volumeBindingMode: 'WaitForFirstConsumer',
  }) as KubeObject;

const claim = (name: string, accessMode = 'ReadWriteOnce'): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: [accessMode], storageClassName: 'late', resources: { requests: { storage: '1Gi' } } },
  }) as KubeObject;

const volumeOn = (nodeName: string): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `disk-${nodeName}` },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 'late',
      hostPath: { path: '/disk', type: 'DirectoryOrCreate' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }] }] },
      },
    },
  }) as KubeObject;

const pod = (name: string, claimName: string, more: object = {}): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: [{ name: 'main', image: 'app:1', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      ...more,
    },
  }) as KubeObject;

const claimOf = (cluster: TestCluster, name: string) =>
  cluster.server.objects.get<PersistentVolumeClaim & KubeObject>('persistentvolumeclaims', name);
const runs = (cluster: TestCluster, name: string) => cluster.pod(name)?.status?.phase === 'Running';
const scheduled = (cluster: TestCluster, name: string) =>
  cluster.pod(name)?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message ?? '';

it('provisions the volume of the first pod on the node that the scheduler selects, and keeps later pods there', async () => {
  const cluster = await createTestCluster({ nodes: 2 });
  for (const each of [storageClass('simulated'), claim('data')]) cluster.apply(each);
  await cluster.advance('1m');
  expect(claimOf(cluster, 'data')?.status?.phase).toBe('Pending');
  cluster.apply(pod('first', 'data', { nodeSelector: { 'kubernetes.io/hostname': 'node-2' } }));
  await cluster.until(() => runs(cluster, 'first'));
  expect(claimOf(cluster, 'data')).toMatchObject({
    metadata: { annotations: { 'volume.kubernetes.io/selected-node': 'node-2' } },
    status: { phase: 'Bound' },
  });
  cluster.apply(pod('second', 'data'));
  await cluster.until(() => runs(cluster, 'second'));
  expect(cluster.pod('second')?.spec?.nodeName).toBe('node-2');
  cluster.apply(pod('third', 'data', { nodeSelector: { 'kubernetes.io/hostname': 'node-1' } }));
  await cluster.until(() => scheduled(cluster, 'third') !== '');
  expect(scheduled(cluster, 'third')).toMatch(
    /^0\/2 nodes are available: 1 node\(s\) didn't match PersistentVolume's node affinity, 1 node\(s\) didn't match Pod's node affinity\/selector\. /,
  );
  expect(await cluster.stop()).toBe(0);
});

it('binds existing volumes, one for each claim, on the nodes that have them', async () => {
  const cluster = await createTestCluster({ nodes: 3 });
  for (const each of [storageClass('kubernetes.io/no-provisioner'), volumeOn('node-2'), volumeOn('node-3')]) cluster.apply(each);
  for (const name of ['a', 'b', 'c']) cluster.apply(claim(name));
  for (const name of ['a', 'b', 'c']) cluster.apply(pod(name, name));
  await cluster.until(() => runs(cluster, 'a') && runs(cluster, 'b') && scheduled(cluster, 'c').startsWith('0/3'));
  const volumes = cluster.server.objects.list<PersistentVolume & KubeObject>('persistentvolumes');
  expect(volumes.map(({ spec }) => spec?.claimRef?.name).sort()).toEqual(['a', 'b']);
  expect(scheduled(cluster, 'c')).toContain("3 node(s) didn't find available persistent volumes to bind");
  cluster.apply(volumeOn('node-1'));
  await cluster.until(() => runs(cluster, 'c'));
  expect(cluster.pod('c')?.spec?.nodeName).toBe('node-1');
  expect(await cluster.stop()).toBe(0);
});

it('gives a claim for one pod to a pod of higher priority', async () => {
  const cluster = await createTestCluster();
  const priorities = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 1000 };
  cluster.apply(priorities as unknown as KubeObject);
  for (const each of [storageClass('simulated'), claim('data', 'ReadWriteOncePod'), pod('low', 'data')]) cluster.apply(each);
  await cluster.until(() => runs(cluster, 'low'));
  cluster.apply(pod('same', 'data'));
  await cluster.until(() => scheduled(cluster, 'same').includes('ReadWriteOncePod access mode already in-use by another pod'));
  cluster.server.objects.delete('pods', 'same');
  cluster.apply(pod('high', 'data', { priorityClassName: 'high' }));
  await cluster.until(() => runs(cluster, 'high'));
  expect(cluster.pod('low')).toBeUndefined();
  expect(await cluster.stop()).toBe(0);
});
