import type { KubeObject, Pod, ResourceClaim } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';

const object = (kind: string, name: string, spec: object): KubeObject =>
  ({ apiVersion: 'resource.k8s.io/v1', kind, metadata: { name }, spec }) as KubeObject;

const slice = (nodeName: string, ...devices: string[]) =>
  object('ResourceSlice', `${nodeName}-gpus`, {
    driver: 'gpu.example.com',
    nodeName,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    devices: devices.map((name) => ({ name, attributes: { model: { string: 'a100' } }, capacity: { memory: { value: '80Gi' } } })),
  });

const expression = `device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'a100' && device.capacity['gpu.example.com'].memory.isGreaterThan(quantity('40Gi'))`;
const gpuClass = object('DeviceClass', 'gpu', { selectors: [{ cel: { expression } }] });
const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: 'gpu' } }] };
const template = object('ResourceClaimTemplate', 'one-gpu', { spec: { devices } });

const pod = (name: string, source: object = { resourceClaimTemplateName: 'one-gpu' }): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      containers: [{ name: 'main', image: 'app:1', resources: { claims: [{ name: 'gpu' }] } }],
      resourceClaims: [{ name: 'gpu', ...source }],
    },
  }) as KubeObject;

const claims = (cluster: TestCluster) => cluster.server.objects.list<ResourceClaim & KubeObject>('resourceclaims');
const allocated = (cluster: TestCluster) =>
  claims(cluster).map(({ status }) => status?.allocation?.devices?.results?.map(({ pool, device }) => `${pool}/${device}`));
const runs = (cluster: TestCluster, name: string) => cluster.pod(name)?.status?.phase === 'Running';
const scheduled = (cluster: TestCluster, name: string) =>
  cluster.pod(name)?.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;

async function gpuCluster(...objects: KubeObject[]): Promise<TestCluster> {
  const cluster = await createTestCluster({ nodes: 2 });
  for (const each of [gpuClass, template, ...objects]) cluster.apply(each);
  return cluster;
}

describe('a pod with a claim', () => {
  it('runs on the node of its device, which is free again once the pod is deleted', async () => {
    const cluster = await gpuCluster(slice('node-2', 'gpu-1'), pod('first'), pod('second'));
    await cluster.until(() => runs(cluster, 'first'));
    const { spec, status } = cluster.pod('first') as Pod;
    expect(spec?.nodeName).toBe('node-2');
    const [claim] = claims(cluster);
    expect(claim).toMatchObject({
      metadata: {
        name: expect.stringMatching(/^first-gpu-.{5}$/),
        annotations: { 'resource.kubernetes.io/pod-claim-name': 'gpu' },
        finalizers: ['resource.kubernetes.io/delete-protection'],
        ownerReferences: [{ kind: 'Pod', name: 'first', controller: true }],
      },
      status: {
        allocation: {
          devices: { results: [{ request: 'gpu', driver: 'gpu.example.com', pool: 'node-2', device: 'gpu-1' }] },
          nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['node-2'] }] }] },
        },
        reservedFor: [{ resource: 'pods', name: 'first' }],
      },
    });
    expect(status?.resourceClaimStatuses).toEqual([{ name: 'gpu', resourceClaimName: claim?.metadata?.name }]);
    expect(scheduled(cluster, 'second')).toBe(
      '0/2 nodes are available: 2 cannot allocate all claims. still not schedulable, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    );
    cluster.server.objects.delete('pods', 'first');
    await cluster.until(() => runs(cluster, 'second'));
    expect(allocated(cluster)).toEqual([['node-2/gpu-1']]);
    cluster.server.objects.delete('pods', 'second');
    await cluster.until(() => claims(cluster).length === 0);
    expect(await cluster.stop()).toBe(0);
  });

  it('shares the claim with another pod', async () => {
    const shared = { resourceClaimName: 'shared' };
    const cluster = await gpuCluster(
      slice('node-1', 'gpu-1'),
      object('ResourceClaim', 'shared', { devices }),
      pod('a', shared),
      pod('b', shared),
    );
    await cluster.until(() => runs(cluster, 'a') && runs(cluster, 'b'));
    const consumers = () => claims(cluster)[0]?.status?.reservedFor?.map(({ name }) => name);
    expect([consumers(), cluster.pods().map(({ spec }) => spec?.nodeName)]).toEqual([
      ['a', 'b'],
      ['node-1', 'node-1'],
    ]);
    cluster.server.objects.delete('pods', 'a');
    await cluster.until(() => consumers()?.length === 1);
    expect(allocated(cluster)).toEqual([['node-1/gpu-1']]);
    cluster.server.objects.delete('pods', 'b');
    await cluster.until(() => claims(cluster)[0]?.status?.allocation === undefined);
    expect(claims(cluster)[0]?.metadata?.finalizers).toBeUndefined();
    expect(await cluster.stop()).toBe(0);
  });

  it('waits for its template, its claim, its class and its device', async () => {
    const cluster = await createTestCluster();
    cluster.apply(pod('web'));
    await cluster.advance('1s');
    expect(scheduled(cluster, 'web')).toBeUndefined();
    const events = cluster.server.objects.list<KubeObject & { reason: string; message: string }>('events');
    expect(events.find(({ reason }) => reason === 'FailedResourceClaimCreation')?.message).toBe(
      'PodResourceClaim gpu: resource claim template "one-gpu": resourceclaimtemplate.resource.k8s.io "one-gpu" not found',
    );
    cluster.apply(template);
    await cluster.until(() => scheduled(cluster, 'web')?.includes('request gpu: device class gpu does not exist') === true);
    cluster.apply(gpuClass);
    await cluster.until(() => scheduled(cluster, 'web')?.includes('cannot allocate all claims') === true);
    cluster.apply(slice('node-1', 'gpu-1'));
    await cluster.until(() => runs(cluster, 'web'));
    expect(await cluster.stop()).toBe(0);
  });

  it('releases the devices of a Job that has completed', async () => {
    const cluster = await gpuCluster(slice('node-1', 'gpu-1'));
    cluster.script({}, { exit: { afterMs: 5_000, code: 0 } });
    for (const name of ['a', 'b'])
      cluster.apply({ ...pod(name), spec: { ...(pod(name) as Pod).spec, restartPolicy: 'Never' } } as KubeObject);
    await cluster.until(() => cluster.pods().every(({ status }) => status?.phase === 'Succeeded'));
    await cluster.until(() => claims(cluster).length === 0);
    expect(await cluster.stop()).toBe(0);
  });
});
