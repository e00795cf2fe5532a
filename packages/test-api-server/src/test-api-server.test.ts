import { describe, expect, it } from 'vitest';
import { pod, setUp, pods as url } from './test-api-server.fixture.js';
import { createTestApiServer } from './test-api-server.js';

describe('test API server', () => {
  it('creates, reads, changes and deletes a pod as a cluster does', async () => {
    const { call } = setUp();
    const created = await call('POST', url, pod('web', { nodeName: 'n1' }));
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      metadata: { name: 'web', namespace: 'default', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: {
        restartPolicy: 'Always',
        serviceAccountName: 'default',
        priority: 0,
        tolerations: [{ key: 'node.kubernetes.io/not-ready', tolerationSeconds: 300 }, { key: 'node.kubernetes.io/unreachable' }],
        containers: [{ imagePullPolicy: 'Always', terminationMessagePath: '/dev/termination-log' }],
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    expect((await call('POST', url, pod('web'))).body).toMatchObject({
      code: 409,
      reason: 'AlreadyExists',
      message: 'pods "web" already exists',
    });
    const patched = await call(
      'PATCH',
      `${url}/web/status`,
      { status: { phase: 'Running' } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    );
    expect(patched.body.status).toMatchObject({ phase: 'Running', qosClass: 'BestEffort' });
    const stale = await call('PUT', `${url}/web`, created.body);
    expect(stale.body).toMatchObject({ code: 409, reason: 'Conflict' });
    const deleting = await call('DELETE', `${url}/web`);
    expect(deleting.body.metadata).toMatchObject({ deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 });
    expect((await call('DELETE', `${url}/web`, { gracePeriodSeconds: 0 })).status).toBe(200);
    expect((await call('GET', `${url}/web`)).body).toMatchObject({
      code: 404,
      message: 'pods "web" not found',
      details: { name: 'web', kind: 'pods' },
    });
  });

  it('generates names, UIDs and versions', async () => {
    const { call, patch } = setUp();
    const named = await call('POST', url, { ...pod('x'), metadata: { generateName: 'web-' } });
    expect(named.body.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect((await call('POST', '/api/v1/namespaces/none/pods', pod('x'))).body.message).toBe('namespaces "none" not found');
    const other = await call('POST', url, pod('x', {}, { namespace: 'kube-system' }));
    expect(other.body).toMatchObject({
      code: 400,
      message: 'the namespace of the provided object does not match the namespace sent on the request',
    });
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: pod('x').spec } },
    };
    const at = '/apis/apps/v1/namespaces/default/deployments';
    expect((await call('POST', at, deployment)).body.metadata.generation).toBe(1);
    const same = await patch(`${at}/d`, { metadata: { labels: { l: 'm' } } });
    expect(same.body.metadata.generation).toBe(1);
    const scaled = await patch(`${at}/d`, { spec: { replicas: 3 } });
    expect(scaled.body.metadata.generation).toBe(2);
    const again = await patch(`${at}/d`, { spec: { replicas: 3 } });
    expect(again.body.metadata.resourceVersion).toBe(scaled.body.metadata.resourceVersion);
    const status = await patch(`${at}/d/status`, { spec: { replicas: 9 }, status: { replicas: 3 } });
    expect([status.body.spec.replicas, status.body.status.replicas]).toEqual([3, 3]);
    const selector = await patch(`${at}/d`, {
      spec: { selector: { matchLabels: { a: 'c' } }, template: { metadata: { labels: { a: 'c' } } } },
    });
    expect(selector.body).toMatchObject({ code: 422, reason: 'Invalid', details: { causes: [{ field: 'spec.selector' }] } });
  });

  it('rejects invalid requests with the messages of a cluster', async () => {
    const { call, patch } = setUp();
    const bad = await call('POST', url, { ...pod('Bad'), spec: { containers: [{ name: 'main' }] } });
    expect(bad.body).toMatchObject({ code: 422, reason: 'Invalid', details: { kind: 'Pod', name: 'Bad' } });
    expect(bad.body.details.causes).toContainEqual({
      reason: 'FieldValueRequired',
      message: 'Required value',
      field: 'spec.containers[0].image',
    });
    await call('POST', url, pod('web'));
    const moved = await patch(`${url}/web`, { spec: { hostNetwork: true } });
    expect(moved.body.message).toMatch(/^Pod "web" is invalid: spec: Forbidden: pod updates may not change fields other than/);
    expect(
      (await patch(`${url}/web`, { spec: { containers: [{ name: 'main', image: 'nginx:2' }] } }, 'strategic-merge-patch+json')).status,
    ).toBe(200);
    expect((await call('GET', '/api/v1/widgets')).body).toMatchObject({ code: 404, reason: 'NotFound' });
    expect((await call('PUT', url, {})).body).toMatchObject({ code: 405 });
    expect((await call('GET', url, undefined, { accept: 'application/cbor' })).status).toBe(406);
    expect((await call('POST', url, 'a: b', { 'content-type': 'application/cbor' })).status).toBe(415);
    expect((await call('POST', url, pod('y', { serviceAccountName: 'missing' }))).body.message).toContain(
      'serviceaccount "missing" not found',
    );
    expect((await call('GET', url, undefined, { authorization: 'Bearer wrong' })).status).toBe(401);
    expect((await call('GET', `${url}?fieldSelector=spec.unknown%3D1`)).body.message).toBe('field label not supported: spec.unknown');
  });

  it('binds pods, and gives running pods their grace period', async () => {
    const { call, server } = setUp();
    await call('POST', url, pod('web'));
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'web' }, target: { kind: 'Node', name: 'n1' } };
    expect((await call('POST', `${url}/web/binding`, binding)).status).toBe(201);
    expect(server.objects.get('pods', 'web')).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect((await call('POST', `${url}/web/binding`, binding)).body.message).toBe(
      'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"',
    );
    const { uid } = (await call('GET', `${url}/web`)).body.metadata;
    expect((await call('DELETE', `${url}/web`, { preconditions: { uid: 'other' } })).body).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(
      (await call('DELETE', `${url}/web`, { gracePeriodSeconds: 60, preconditions: { uid } })).body.metadata.deletionGracePeriodSeconds,
    ).toBe(60);
    expect((await call('DELETE', `${url}/web`, { gracePeriodSeconds: 5 })).body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 5,
      deletionTimestamp: '2026-01-01T00:00:05Z',
    });
    expect((await call('DELETE', `${url}/web`, { gracePeriodSeconds: 90 })).body.metadata.deletionGracePeriodSeconds).toBe(5);
    await call('DELETE', `${url}/web`, { gracePeriodSeconds: 0 });
    expect(server.objects.list('pods')).toEqual([]);
  });

  it('keeps objects with finalizers until these are removed', async () => {
    const { call, patch } = setUp();
    const at = '/api/v1/namespaces/default/configmaps';
    await call('POST', at, { metadata: { name: 'c', finalizers: ['example.com/hold'] } });
    expect((await call('DELETE', `${at}/c`)).body.metadata.deletionTimestamp).toBe('2026-01-01T00:00:00Z');
    const added = await patch(`${at}/c`, { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } });
    expect(added.body.message).toContain('no new finalizers can be added if the object is being deleted');
    expect((await patch(`${at}/c`, { metadata: { finalizers: null } })).status).toBe(200);
    expect((await call('GET', `${at}/c`)).status).toBe(404);
  });

  it('deletes the content of a namespace before the namespace', async () => {
    const { call, server } = setUp();
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'team' } });
    const inside = '/api/v1/namespaces/team/pods';
    await call('POST', inside, pod('web', { nodeName: 'n1' }));
    expect((await call('DELETE', '/api/v1/namespaces/team')).body.status.phase).toBe('Terminating');
    expect((await call('POST', inside, pod('late'))).body).toMatchObject({
      code: 403,
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    expect(server.objects.get('pods', 'web', 'team')?.metadata?.deletionTimestamp).toBeDefined();
    await call('DELETE', `${inside}/web`, { gracePeriodSeconds: 0 });
    expect((await call('GET', '/api/v1/namespaces/team')).status).toBe(404);
    expect((await call('DELETE', '/api/v1/namespaces/default')).body.message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
  });

  it('deletes, orphans or waits for the dependents of an object', async () => {
    const { call, server } = setUp();
    const at = '/api/v1/namespaces/default/configmaps';
    const own = async (owner: string, name: string) => {
      const { uid } = (await call('POST', at, { metadata: { name: owner } })).body.metadata;
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true }];
      await call('POST', at, { metadata: { name, ownerReferences, ...(owner === 'waits' && { finalizers: ['example.com/hold'] }) } });
    };
    const names = () =>
      server.objects
        .list('configmaps', { namespace: 'default' })
        .map(({ metadata }) => metadata?.name)
        .filter((name) => name !== 'kube-root-ca.crt');
    await own('background', 'a');
    await call('DELETE', `${at}/background`);
    expect(names()).toEqual([]);
    await own('orphaned', 'b');
    await call('DELETE', `${at}/orphaned`, { propagationPolicy: 'Orphan' });
    expect(names()).toEqual(['b']);
    expect(server.objects.get('configmaps', 'b')?.metadata?.ownerReferences).toBeUndefined();
    await own('waits', 'c');
    await call('DELETE', `${at}/waits`, { propagationPolicy: 'Foreground' });
    expect(names()).toEqual(['b', 'c', 'waits']);
    server.objects.update('configmaps', 'c', ({ metadata }) => void delete metadata?.finalizers);
    expect(names()).toEqual(['b']);
  });

  it('returns pages of a list at the version of the first page', async () => {
    const { call, server } = setUp();
    for (const name of ['a', 'b', 'c']) await call('POST', url, pod(name));
    const first = await call('GET', `${url}?limit=2`);
    expect(first.body.metadata).toMatchObject({ remainingItemCount: 1 });
    await call('DELETE', `${url}/c`);
    const token = encodeURIComponent(first.body.metadata.continue);
    const second = await call('GET', `${url}?limit=2&continue=${token}`);
    expect(second.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['c']);
    expect(second.body.metadata).toEqual({ resourceVersion: first.body.metadata.resourceVersion });
    server.forgetHistory();
    expect((await call('GET', `${url}?limit=2&continue=${token}`)).body).toMatchObject({ code: 410, reason: 'Expired' });
    expect((await call('GET', `${url}?resourceVersion=999999`)).body).toMatchObject({ code: 504, reason: 'Timeout' });
  });

  it('returns events in both groups, and tables', async () => {
    const { call } = setUp();
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', name: 'web', namespace: 'default' },
      reason: 'Started',
      message: 'hi',
      type: 'Normal',
    };
    await call('POST', '/api/v1/namespaces/default/events', event);
    const newer = await call('GET', '/apis/events.k8s.io/v1/namespaces/default/events/e');
    expect(newer.body).toMatchObject({ apiVersion: 'events.k8s.io/v1', regarding: { name: 'web' }, note: 'hi' });
    expect((await call('GET', '/api/v1/events?fieldSelector=involvedObject.name%3Dweb')).body.items).toHaveLength(1);
    await call('POST', url, pod('web'));
    const table = await call('GET', url, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' });
    expect(table.body).toMatchObject({ kind: 'Table', rows: [{ cells: expect.arrayContaining(['web', '0/1', 'Pending']) }] });
    const partial = await call('GET', url, undefined, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' });
    expect(partial.body.items[0]).toEqual({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: expect.anything() });
  });

  it('issues tokens that are invalid once their pod is deleted', async () => {
    const { call, clock } = setUp();
    const { uid } = (await call('POST', url, pod('web', { nodeName: 'n1' }))).body.metadata;
    const bound = { spec: { expirationSeconds: 3600, boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'web', uid } } };
    const at = '/api/v1/namespaces/default/serviceaccounts/default/token';
    const { token, expirationTimestamp } = (await call('POST', at, bound)).body.status;
    expect(expirationTimestamp).toBe('2026-01-01T01:00:00Z');
    const review = async () => (await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })).body.status;
    expect(await review()).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:default' } });
    // A minute for clocks that differ, as a real server grants.
    await clock.advance(3_660_000);
    expect(await review()).toEqual({ user: {}, error: '[invalid bearer token, service account token has expired]' });
    expect((await call('POST', at, { spec: { expirationSeconds: 60 } })).body.message).toContain(
      'may not specify a duration less than 10 minutes',
    );
  });

  it('calls the authorizer, and audits writes', async () => {
    const audited: string[] = [];
    const { call } = setUp({
      tokens: { secret: { username: 'jane' } },
      authorizer: ({ user, verb }) => ({ allowed: user.username !== 'jane' || verb === 'get' }),
      audit: ({ verb, user, objectRef, responseStatus }) =>
        audited.push(`${user.username} ${verb} ${objectRef.resource}/${objectRef.name} ${responseStatus.code}`),
    });
    const jane = { authorization: 'Bearer secret' };
    await call('POST', url, pod('web'));
    expect((await call('DELETE', `${url}/web`, undefined, jane)).body.message).toBe(
      'pods "web" is forbidden: User "jane" cannot delete resource "pods" in API group "" in the namespace "default"',
    );
    expect((await call('GET', `${url}/web`, undefined, jane)).status).toBe(200);
    const access = { spec: { user: 'jane', resourceAttributes: { verb: 'delete', resource: 'pods' } } };
    expect((await call('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', access)).body.status).toEqual({ allowed: false });
    expect(audited).toEqual(['kubernetes-admin create pods/web 201', 'kubernetes-admin create subjectaccessreviews/undefined 201']);
  });

  it('names the fields that an object in memory lacks', () => {
    const { server } = setUp();
    const metadata = { name: 'web' };
    expect(() => server.objects.create({ kind: 'Pod', metadata })).toThrow('cannot create an object: apiVersion not set; a Pod has');
    expect(() => server.objects.create({ metadata })).toThrow('cannot create an object: apiVersion not set, kind not set; a Pod has');
    expect(() => server.objects.create({ apiVersion: 'v1', kind: 'Pot', metadata })).toThrow('no matches for kind "Pot" in version "v1"');
  });

  it('runs controllers of workloads if enabled', async () => {
    const { call, server, clock } = setUp({ workloads: true, scheduler: true });
    server.objects.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1' },
      status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const labels = { app: 'web' };
    const spec = { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod('x').spec } };
    await call('POST', '/apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'web' }, spec });
    await clock.settle();
    expect(server.objects.list('pods').map((each) => (each as { spec?: { nodeName?: string } }).spec?.nodeName)).toEqual(['n1', 'n1']);
    expect(server.objects.get('deployments', 'web')).toMatchObject({ status: { replicas: 2, updatedReplicas: 2, observedGeneration: 1 } });
    await server.close();
    expect(clock.pending).toBe(0);
  });
});

it.each([
  [{ historyLimit: 0 }, 'historyLimit'],
  [{ bookmarkPeriodMs: -1 }, 'bookmarkPeriodMs'],
])('refuses %j', (options, field) => {
  expect(() => createTestApiServer(options)).toThrow(expect.objectContaining({ code: 'InvalidOption', details: { field } }));
});

it('reads the objects of all namespaces without copies', () => {
  const { objects } = createTestApiServer();
  const create = (namespace: string) => objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace } });
  for (const namespace of ['kube-system', 'default']) create(namespace);
  const read = objects.read('configmaps').filter(({ metadata }) => metadata?.name === 'settings');
  expect(read).toEqual([objects.get('configmaps', 'settings'), objects.get('configmaps', 'settings', 'kube-system')]);
  expect(objects.read('configmaps')).toContain(read[0]);
});
