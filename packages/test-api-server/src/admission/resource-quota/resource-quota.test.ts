import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../../test-api-server.fixture.js';

const base = '/api/v1/namespaces/default';
const quotas = `${base}/resourcequotas`;

async function withQuota(hard: object, scopes: object = {}) {
  const set = setUp();
  const created = await set.call('POST', quotas, { metadata: { name: 'quota' }, spec: { hard, ...scopes } });
  const status = async () => (await set.call('GET', `${quotas}/quota`)).body.status;
  const used = async () => (await status()).used;
  return { ...set, created, status, used };
}

const container = (resources: object) => ({ containers: [{ name: 'main', image: 'nginx', resources }] });
const amounts = (cpu: string, memory: string) => container({ requests: { cpu, memory }, limits: { cpu, memory } });

/** Objects that a quota counts; the namespace has a ConfigMap and a Service already. */
const countedObjects: readonly [what: string, url: string, object: object, counted: Record<string, string>][] = [
  ['a ConfigMap', `${base}/configmaps`, { metadata: { name: 'c' } }, { configmaps: '2', 'count/configmaps': '2' }],
  ['a Secret', `${base}/secrets`, { metadata: { name: 's' } }, { secrets: '1' }],
  [
    'a ReplicaSet',
    '/apis/apps/v1/namespaces/default/replicasets',
    {
      metadata: { name: 'r' },
      spec: { replicas: 0, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod('').spec } },
    },
    { 'count/replicasets.apps': '1' },
  ],
  [
    'a ReplicationController',
    `${base}/replicationcontrollers`,
    {
      metadata: { name: 'r' },
      spec: { replicas: 0, selector: { a: 'b' }, template: { metadata: { labels: { a: 'b' } }, spec: pod('').spec } },
    },
    { replicationcontrollers: '1' },
  ],
  [
    'a Service',
    `${base}/services`,
    { metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } },
    { services: '2', 'services.loadbalancers': '1', 'services.nodeports': '1' },
  ],
  [
    'a claim',
    `${base}/persistentvolumeclaims`,
    {
      metadata: { name: 'd' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } },
    },
    { 'requests.storage': '1Gi', persistentvolumeclaims: '1', 'gold.storageclass.storage.k8s.io/requests.storage': '1Gi' },
  ],
  [
    'a claim of devices',
    '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims',
    {
      metadata: { name: 'd' },
      spec: {
        devices: {
          requests: [
            { name: 'a', exactly: { deviceClassName: 'gpu', count: 2 } },
            { name: 'b', firstAvailable: [3, 1].map((count) => ({ name: `s${count}`, deviceClassName: 'gpu', count })) },
            { name: 'c', exactly: { deviceClassName: 'nic', allocationMode: 'All' } },
          ],
        },
      },
    },
    {
      'count/resourceclaims.resource.k8s.io': '1',
      'gpu.deviceclass.resource.k8s.io/devices': '5',
      'requests.deviceclass.resource.kubernetes.io/gpu': '5',
      'nic.deviceclass.resource.k8s.io/devices': '32',
    },
  ],
];

describe('a ResourceQuota', () => {
  it('has a status at once', async () => {
    const { status, call } = await withQuota({ pods: '5', 'requests.cpu': '1' });
    expect(await status()).toEqual({ hard: { pods: '5', 'requests.cpu': '1' }, used: { pods: '0', 'requests.cpu': '0' } });
    await call('PUT', `${quotas}/quota`, { metadata: { name: 'quota' }, spec: { hard: { pods: '7' } } });
    expect(await status()).toEqual({ hard: { pods: '7' }, used: { pods: '0' } });
  });

  it.each(countedObjects)('counts %s until it is deleted', async (_what, url, object, counted) => {
    const { call, used } = await withQuota(Object.fromEntries(Object.keys(counted).map((resource) => [resource, '10Gi'])));
    const before = await used();
    const { body } = await call('POST', url, object);
    expect(await used()).toMatchObject(counted);
    await call('DELETE', `${url}/${body.metadata.name}`);
    expect(await used()).toEqual(before);
  });

  it('counts a pod until it has terminated', async () => {
    const { call, patch, used } = await withQuota({ pods: '2', 'requests.cpu': '1', memory: '1Gi', 'requests.example.com/gpu': '3' });
    await call('POST', pods, pod('web', container({ requests: { cpu: '500m', memory: '252Mi' }, limits: { 'example.com/gpu': '2' } })));
    const counted = { pods: '1', 'requests.cpu': '500m', memory: '252Mi', 'requests.example.com/gpu': '2' };
    expect(await used()).toEqual(counted);
    const second = await call('POST', pods, pod('next', container({ requests: { cpu: '600m', memory: '1Mi' } })));
    expect(second.status).toBe(403);
    expect(second.body.message).toBe(
      'pods "next" is forbidden: exceeded quota: quota, requested: requests.cpu=600m, used: requests.cpu=500m, limited: requests.cpu=1',
    );
    await patch(`${pods}/web/status`, { status: { phase: 'Succeeded' } });
    expect(await used()).toMatchObject({ pods: '0', 'requests.cpu': '0' });
  });

  it('counts the objects that exist already', async () => {
    const { call } = setUp();
    for (const name of ['a', 'b']) await call('POST', pods, pod(name));
    await call('POST', quotas, { metadata: { name: 'late' }, spec: { hard: { 'count/pods': '2' } } });
    expect((await call('GET', `${quotas}/late`)).body.status.used).toEqual({ 'count/pods': '2' });
    expect((await call('POST', pods, pod('c'))).body.message).toContain(
      'requested: count/pods=1, used: count/pods=2, limited: count/pods=2',
    );
  });

  it('requires the amounts that it limits', async () => {
    const { call } = await withQuota({ 'limits.cpu': '1', 'requests.memory': '1Gi' });
    expect((await call('POST', pods, pod('web'))).body.message).toBe(
      'pods "web" is forbidden: failed quota: quota: must specify limits.cpu for: main; requests.memory for: main',
    );
  });

  it('counts only the pods of its scopes', async () => {
    const effort = await withQuota({ pods: '5' }, { scopes: ['BestEffort'] });
    await effort.call('POST', pods, pod('best'));
    await effort.call('POST', pods, pod('burst', amounts('1', '1Gi')));
    expect(await effort.used()).toEqual({ pods: '1' });
    const terminating = await withQuota({ pods: '5' }, { scopes: ['NotTerminating'] });
    await terminating.call('POST', pods, pod('short', { activeDeadlineSeconds: 3600 }));
    await terminating.call('POST', pods, pod('long'));
    expect(await terminating.used()).toEqual({ pods: '1' });
    const matchExpressions = [{ scopeName: 'PriorityClass', operator: 'In', values: ['system-node-critical'] }];
    const priority = await withQuota({ pods: '1' }, { scopeSelector: { matchExpressions } });
    await priority.call('POST', pods, pod('low'));
    await priority.call('POST', pods, pod('high', { priorityClassName: 'system-node-critical' }));
    expect(await priority.used()).toEqual({ pods: '1' });
    expect((await priority.call('POST', pods, pod('more', { priorityClassName: 'system-node-critical' }))).status).toBe(403);
  });

  it('keeps a status that a client wrote until something changes', async () => {
    const { patch, status, call } = await withQuota({ pods: '5' });
    await patch(`${quotas}/quota/status`, { status: { used: { pods: '3' } } });
    expect(await status()).toEqual({ hard: { pods: '5' }, used: { pods: '3' } });
    await call('POST', pods, pod('web'));
    expect(await status()).toEqual({ hard: { pods: '5' }, used: { pods: '4' } });
  });

  it('counts everything again every five minutes', async () => {
    const { patch, status, clock } = await withQuota({ pods: '5' });
    for (const minutes of [5, 10]) {
      await patch(`${quotas}/quota/status`, { status: { hard: { pods: '7' }, used: { pods: '3' } } });
      await clock.advance(299_000);
      expect([minutes, await status()]).toEqual([minutes, { hard: { pods: '7' }, used: { pods: '3' } }]);
      await clock.advance(1_000);
      expect(await status()).toEqual({ hard: { pods: '5' }, used: { pods: '0' } });
    }
  });

  it('notifies watches in the order of its changes', async () => {
    const { watch, call } = setUp();
    const changes = await watch(`${quotas}?watch=true`);
    await call('POST', quotas, { metadata: { name: 'quota' }, spec: { hard: { pods: '5' } } });
    await call('POST', pods, pod('web'));
    await call('GET', pods);
    expect(changes.seen()).toEqual(['ADDED quota', 'MODIFIED quota', 'MODIFIED quota']);
    changes.abort();
  });

  it.each([
    [{ hard: { pods: '-1' } }, 'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0'],
    [{ hard: { pods: '100m' } }, 'spec.hard[pods]: Invalid value: "100m": must be an integer'],
    [{ hard: { podds: '1' } }, 'spec.hard[podds]: Invalid value: "podds": must be a standard resource for quota'],
    [{ hard: { pods: '1' }, scopes: ['BestEffort', 'NotBestEffort'] }, 'conflicting scopes'],
    [{ hard: { cpu: '1' }, scopes: ['BestEffort'] }, 'unsupported scope applied to resource'],
  ])('is refused with the spec %j', async (spec, why) => {
    const { body } = await setUp().call('POST', quotas, { metadata: { name: 'quota' }, spec });
    expect(body.code).toBe(422);
    expect(body.message).toContain(why);
  });
});
