import { describe, expect, it } from 'vitest';
import { startCluster, until } from './cluster.fixture.js';

/*
 * What the specs of Kubernetes' conformance suite with these names check, as far as that follows from the documentation: one test for each spec
 * about discovery, lists, watches, tables, namespaces, garbage collection and flow control.
 */

const flowControl = '/apis/flowcontrol.apiserver.k8s.io/v1';
const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, labels: Record<string, string> = {}) => ({ metadata: { name, labels: { of: 'test', ...labels } } });
const pod = (name: string, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});
const template = { metadata: { labels: { app: 'gc' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const dependents = '/api/v1/namespaces/default/pods?labelSelector=app%3Dgc';
const controllers = '/api/v1/namespaces/default/replicationcontrollers';
const controller = (name: string, replicas = 2) => ({ metadata: { name }, spec: { replicas, template } });
const named = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

type Cluster = Awaited<ReturnType<typeof startCluster>>;

describe('API priority and fairness', () => {
  it.each([
    ['FlowSchema', 'flowschemas', { priorityLevelConfiguration: { name: 'global-default' }, matchingPrecedence: 9999 }],
    [
      'PriorityLevelConfiguration',
      'prioritylevelconfigurations',
      { type: 'Limited', limited: { nominalConcurrencyShares: 2, limitResponse: { type: 'Reject' } } },
    ],
  ])('should support %s API operations', async (kind, resource, spec) => {
    const { call, patch, watch } = await startCluster();
    const list = `${flowControl}/${resource}`;
    const object = { kind, metadata: { name: 'e2e', labels: { of: 'test' } }, spec };
    expect(await call('POST', list, object)).toMatchObject({ status: 201, body: { metadata: { generation: 1 } } });
    const { saw } = await watch(`${list}?labelSelector=of%3Dtest`);
    expect(named((await call('GET', `${list}?labelSelector=of%3Dtest`)).body)).toEqual(['e2e']);
    expect((await patch(`${list}/e2e`, { metadata: { annotations: { patched: 'true' } } })).body.metadata.annotations).toEqual({
      patched: 'true',
    });
    const { body } = await call('GET', `${list}/e2e`);
    expect((await call('PUT', `${list}/e2e`, { ...body, metadata: { ...body.metadata, annotations: { updated: 'true' } } })).status).toBe(
      200,
    );
    const conditions = [{ type: 'TestFailed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }];
    expect((await patch(`${list}/e2e/status`, { status: { conditions } })).body.status.conditions).toMatchObject([{ type: 'TestFailed' }]);
    expect((await call('GET', `${list}/e2e/status`)).body.kind).toBe(kind);
    expect((await call('DELETE', `${list}/e2e`)).status).toBe(200);
    expect((await call('GET', `${list}/e2e`)).status).toBe(404);
    await call('POST', list, { ...object, metadata: { name: 'e2e-2', labels: { of: 'test' } } });
    expect((await call('DELETE', `${list}?labelSelector=of%3Dtest`)).status).toBe(200);
    expect((await call('GET', `${list}?labelSelector=of%3Dtest`)).body.items).toEqual([]);
    await saw('ADDED e2e', 'MODIFIED e2e', 'MODIFIED e2e', 'MODIFIED e2e', 'DELETED e2e', 'ADDED e2e-2', 'DELETED e2e-2');
  });
});

describe('Servers with support for API chunking', () => {
  it('should return chunks of results for list calls', async () => {
    const { call, server } = await startCluster();
    for (let n = 0; n < 40; n++)
      server.objects.create({ apiVersion: 'v1', kind: 'PodTemplate', ...configMap(`t${String(n).padStart(3, '0')}`), template });
    let token = '';
    let found = 0;
    let version: string | undefined;
    do {
      const { body } = await call('GET', `/api/v1/namespaces/default/podtemplates?limit=17${token && `&continue=${token}`}`);
      version ??= body.metadata.resourceVersion;
      expect([body.items.length, body.metadata.resourceVersion]).toEqual([Math.min(17, 40 - found), version]);
      expect(body.metadata.remainingItemCount).toBe(found + 17 < 40 ? 40 - found - 17 : undefined);
      found += body.items.length;
      token = body.metadata.continue ?? '';
    } while (token);
    expect(found).toBe(40);
  });

  it('should support continue listing from the last key if the original version has been compacted away, though the list is inconsistent', async () => {
    const { call, server } = await startCluster();
    for (let n = 0; n < 5; n++) server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', ...configMap(`m${n}`) });
    const list = `${configMaps}?labelSelector=of%3Dtest&limit=3`;
    const first = await call('GET', list);
    server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', ...configMap('m5') });
    server.forgetHistory();
    const expired = await call('GET', `${list}&continue=${first.body.metadata.continue}`);
    expect(expired).toMatchObject({ status: 410, body: { reason: 'Expired', metadata: { continue: expect.any(String) } } });
    const rest = await call('GET', `${list}&continue=${expired.body.metadata.continue}`);
    expect([named(first.body), named(rest.body)]).toEqual([
      ['m0', 'm1', 'm2'],
      ['m3', 'm4', 'm5'],
    ]);
  });
});

describe('Watchers', () => {
  it('should observe add, update, and delete watch notifications on configmaps', async () => {
    const { call, patch, watch } = await startCluster();
    const [a, b, both] = await Promise.all(
      ['group%3Da', 'group%3Db', 'group+in+(a,b)'].map((selector) => watch(`${configMaps}?labelSelector=${selector}`)),
    );
    await call('POST', configMaps, configMap('a', { group: 'a' }));
    await patch(`${configMaps}/a`, { data: { mutation: '1' } });
    await call('DELETE', `${configMaps}/a`);
    await call('POST', configMaps, configMap('b', { group: 'b' }));
    await call('DELETE', `${configMaps}/b`);
    await a?.saw('ADDED a', 'MODIFIED a', 'DELETED a');
    await b?.saw('ADDED b', 'DELETED b');
    await both?.saw('ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED b', 'DELETED b');
  });

  it('should be able to start watching from a specific resource version, and to restart from the last one observed', async () => {
    const { call, patch, watch } = await startCluster();
    await call('POST', configMaps, configMap('a'));
    const { body } = await patch(`${configMaps}/a`, { data: { mutation: '1' } });
    await patch(`${configMaps}/a`, { data: { mutation: '2' } });
    const from = `${configMaps}?labelSelector=of%3Dtest&resourceVersion=`;
    const first = await watch(`${from}${body.metadata.resourceVersion}`);
    await first.saw('MODIFIED a');
    first.stop();
    await call('DELETE', `${configMaps}/a`);
    await (await watch(`${from}${first.events[0]?.object.metadata.resourceVersion}`)).saw('DELETED a');
  });

  it('should observe an object deletion if it stops meeting the requirements of the selector', async () => {
    const { call, patch, watch } = await startCluster();
    const { saw } = await watch(`${configMaps}?labelSelector=group%3Da`);
    await call('POST', configMaps, configMap('a', { group: 'a' }));
    for (const group of ['b', 'a']) await patch(`${configMaps}/a`, { metadata: { labels: { group } } });
    await call('DELETE', `${configMaps}/a`);
    await saw('ADDED a', 'DELETED a', 'ADDED a', 'DELETED a');
  });

  it('should receive events on concurrent watches in same order', async () => {
    const { call, patch, watch } = await startCluster();
    const start = (await call('GET', configMaps)).body.metadata.resourceVersion;
    await call('POST', configMaps, configMap('a'));
    const writes = Array.from({ length: 30 }, (_, n) => patch(`${configMaps}/a`, { data: { n: String(n) } }));
    const watches = await Promise.all(Array.from({ length: 10 }, () => watch(`${configMaps}?resourceVersion=${start}`)));
    await Promise.all(writes);
    await until(() => watches.every(({ events }) => events.length === 31));
    const orders = watches.map(({ events }) => events.map(({ object }) => object.metadata.resourceVersion).join());
    expect(new Set(orders).size).toBe(1);
  });
});

describe('Table transformation', () => {
  it('should return a 406 for a backend which does not implement metadata', async () => {
    const { call } = await startCluster();
    const review = { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } };
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    expect((await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review, { accept })).status).toBe(406);
  });
});

describe('Namespaces', () => {
  const namespace = async ({ call }: Cluster, name: string, content: [path: string, object: unknown][]) => {
    await call('POST', '/api/v1/namespaces', { metadata: { name } });
    for (const [resource, object] of content)
      expect((await call('POST', `/api/v1/namespaces/${name}/${resource}`, object)).status).toBe(201);
    expect((await call('DELETE', `/api/v1/namespaces/${name}`)).body.status.phase).toBe('Terminating');
    const isRemoved = async () => (await call('GET', `/api/v1/namespaces/${name}`)).status === 404;
    return { isRemoved };
  };

  it('should ensure that all pods and services are removed when a namespace is deleted', async () => {
    const cluster = await startCluster();
    const service = { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } };
    const { isRemoved } = await namespace(cluster, 'team', [
      ['pods', pod('p')],
      ['services', service],
    ]);
    await until(isRemoved);
    await cluster.call('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    for (const resource of ['pods', 'services'])
      expect((await cluster.call('GET', `/api/v1/namespaces/team/${resource}`)).body.items).toEqual([]);
  });

  it('should delete pods first (OrderedNamespaceDeletion), and report what remains', async () => {
    const cluster = await startCluster();
    const { call, patch } = cluster;
    const { isRemoved } = await namespace(cluster, 'team', [
      ['pods', pod('p', { finalizers: ['e2e.example.com/finalizer'] })],
      ['configmaps', configMap('m')],
    ]);
    const status = async () => (await call('GET', '/api/v1/namespaces/team')).body.status;
    expect((await call('GET', '/api/v1/namespaces/team/configmaps/m')).body.metadata.deletionTimestamp).toBeUndefined();
    const conditions = (await status()).conditions as { type: string; status: string; message: string }[];
    expect(conditions).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          type: 'NamespaceContentRemaining',
          status: 'True',
          message: expect.stringContaining('pods. has 1 resource instances'),
        }),
        expect.objectContaining({
          type: 'NamespaceFinalizersRemaining',
          status: 'True',
          message: expect.stringContaining('e2e.example.com/finalizer in 1 resource instances'),
        }),
      ]),
    );
    await patch('/api/v1/namespaces/team/pods/p', { metadata: { finalizers: null } });
    await until(isRemoved);
  });

  it('should patch, update, apply changes to the status of, and apply a finalizer to a Namespace', async () => {
    const { call, patch } = await startCluster();
    const path = '/api/v1/namespaces/team';
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    expect(
      (await patch(path, { metadata: { labels: { patched: 'yes' } } }, 'strategic-merge-patch+json')).body.metadata.labels.patched,
    ).toBe('yes');
    const { body } = await call('GET', path);
    expect(
      (await call('PUT', path, { ...body, metadata: { ...body.metadata, labels: { updated: 'yes' } } })).body.metadata.labels.updated,
    ).toBe('yes');
    const conditions = [{ type: 'StatusPatch', status: 'True', reason: 'E2E', message: 'Patched by an e2e test' }];
    expect((await patch(`${path}/status`, { status: { conditions } })).body.status.conditions).toMatchObject(conditions);
    const current = (await call('GET', path)).body;
    const finalizers = ['kubernetes', 'e2e.example.com/fakeFinalizer'];
    expect((await call('PUT', `${path}/finalize`, { ...current, spec: { finalizers } })).body.spec.finalizers).toEqual(finalizers);
    await call('DELETE', path);
    await until(async () => (await call('GET', path)).body.spec?.finalizers?.join() === finalizers[1]);
    await call('PUT', `${path}/finalize`, { ...(await call('GET', path)).body, spec: { finalizers: [] } });
    await until(async () => (await call('GET', path)).status === 404);
  });
});

describe('Garbage collector', () => {
  const count = async ({ call }: Cluster, path = dependents) => (await call('GET', path)).body.items.length as number;
  const create = async (cluster: Cluster, name: string) => {
    await cluster.call('POST', controllers, controller(name));
    await until(async () => (await count(cluster)) === 2);
  };

  it('should delete pods created by rc when not orphaning', async () => {
    const cluster = await startCluster();
    await create(cluster, 'rc');
    await cluster.call('DELETE', `${controllers}/rc`, { propagationPolicy: 'Background' });
    await until(async () => (await count(cluster)) === 0);
  });

  it('should orphan pods created by rc if the delete options orphan', async () => {
    const cluster = await startCluster();
    await create(cluster, 'rc');
    await cluster.call('DELETE', `${controllers}/rc`, { propagationPolicy: 'Orphan' });
    await until(async () => (await cluster.call('GET', `${controllers}/rc`)).status === 404);
    const { body } = await cluster.call('GET', dependents);
    expect(body.items.map((each: { metadata: { ownerReferences?: unknown } }) => each.metadata.ownerReferences)).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('should keep the rc around until all its pods are deleted with foreground deletion', async () => {
    const cluster = await startCluster();
    await create(cluster, 'rc');
    const { body } = await cluster.call('GET', dependents);
    const held = `/api/v1/namespaces/default/pods/${body.items[0].metadata.name}`;
    await cluster.patch(held, { metadata: { finalizers: ['e2e.example.com/hold'] } });
    await cluster.call('DELETE', `${controllers}/rc`, { propagationPolicy: 'Foreground' });
    await until(async () => (await count(cluster)) === 1);
    expect((await cluster.call('GET', `${controllers}/rc`)).body.metadata.finalizers).toEqual(['foregroundDeletion']);
    await cluster.patch(held, { metadata: { finalizers: null } });
    await until(async () => (await cluster.call('GET', `${controllers}/rc`)).status === 404);
  });

  it.each([
    ['should delete RS created by deployment when not orphaning', 'Background', 0],
    ['should orphan RS created by deployment when deleteOptions.PropagationPolicy is Orphan', 'Orphan', 1],
  ])('%s', async (_name, propagationPolicy, left) => {
    const cluster = await startCluster();
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const replicaSets = '/apis/apps/v1/namespaces/default/replicasets';
    await cluster.call('POST', deployments, { metadata: { name: 'd' }, spec: { selector: { matchLabels: { app: 'gc' } }, template } });
    await until(async () => (await count(cluster, replicaSets)) === 1);
    await cluster.call('DELETE', `${deployments}/d`, { propagationPolicy });
    await until(async () => (await cluster.call('GET', `${deployments}/d`)).status === 404);
    await until(async () => (await count(cluster, replicaSets)) === left);
  });

  it('should not be blocked by dependency circle', async () => {
    const cluster = await startCluster();
    const pods = '/api/v1/namespaces/default/pods';
    const uids: Record<string, string> = {};
    for (const name of ['p1', 'p2', 'p3']) uids[name] = (await cluster.call('POST', pods, pod(name))).body.metadata.uid;
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, uid: uids[name], controller: true, blockOwnerDeletion: true });
    for (const [name, above] of [
      ['p1', 'p3'],
      ['p2', 'p1'],
      ['p3', 'p2'],
    ] as const) {
      await cluster.patch(`${pods}/${name}`, { metadata: { ownerReferences: [owner(above)] } });
    }
    await cluster.call('DELETE', `${pods}/p1`, { propagationPolicy: 'Foreground' });
    await until(async () => (await cluster.call('GET', pods)).body.items.length === 0);
  });

  it("should not delete dependents that have both valid owner and owner that's waiting for dependents to be deleted", async () => {
    const cluster = await startCluster();
    await create(cluster, 'rc');
    const stay = (
      await cluster.call('POST', controllers, {
        ...controller('stay', 0),
        spec: {
          ...controller('stay', 0).spec,
          selector: { app: 'other' },
          template: { ...template, metadata: { labels: { app: 'other' } } },
        },
      })
    ).body;
    const { body } = await cluster.call('GET', dependents);
    const [{ metadata }] = body.items;
    const owner = { apiVersion: 'v1', kind: 'ReplicationController', name: 'stay', uid: stay.metadata.uid };
    const shared = `/api/v1/namespaces/default/pods/${metadata.name}`;
    await cluster.patch(shared, { metadata: { ownerReferences: [...metadata.ownerReferences, owner] } });
    await cluster.call('DELETE', `${controllers}/rc`, { propagationPolicy: 'Foreground' });
    await until(async () => (await cluster.call('GET', `${controllers}/rc`)).status === 404);
    const left = await cluster.call('GET', dependents);
    expect(
      left.body.items.map((each: { metadata: { name: string; ownerReferences: unknown } }) => [
        each.metadata.name,
        each.metadata.ownerReferences,
      ]),
    ).toEqual([[metadata.name, [owner]]]);
  });
});

describe('server version', () => {
  it('should find the server version', async () => {
    const { call } = await startCluster();
    expect((await call('GET', '/version')).body).toMatchObject({ major: '1', minor: '36' });
  });
});
