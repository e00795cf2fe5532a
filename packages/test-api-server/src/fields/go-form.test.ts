import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';

const csiNodes = '/apis/storage.k8s.io/v1/csinodes';
const csiNode = (spec: object) => ({ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n' }, spec });

it('returns lists without omitempty as null, in every response and event', async () => {
  const { call, patch, watch } = setUp();
  const { events } = await watch(`${csiNodes}?watch=true&allowWatchBookmarks=true`);
  const created = await call('POST', csiNodes, csiNode({ drivers: [] }));
  expect([created.status, created.body.spec]).toEqual([201, { drivers: null }]);
  expect((await call('GET', `${csiNodes}/n`)).body.spec).toEqual({ drivers: null });
  expect((await call('GET', csiNodes)).body.items[0].spec).toEqual({ drivers: null });
  const replaced = await call('PUT', `${csiNodes}/n`, csiNode({ drivers: [{ name: 'a', nodeID: 'i', topologyKeys: [] }] }));
  expect(replaced.body.spec).toEqual({ drivers: [{ name: 'a', nodeID: 'i', topologyKeys: null }] });
  const emptied = await patch(`${csiNodes}/n`, { spec: { drivers: null } });
  expect(emptied.body.spec).toEqual({ drivers: null });
  expect(events.map(({ object }) => object.spec)).toEqual([created, replaced, emptied].map(({ body }) => body.spec));
});

it('writes nothing if an update replaces null by empty', async () => {
  const { call } = setUp();
  const { body } = await call('POST', csiNodes, csiNode({}));
  const { body: same } = await call('PUT', `${csiNodes}/n`, csiNode({ drivers: [] }));
  expect(same.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
});

it('has null in bookmarks, which are empty objects', async () => {
  const { clock, watch } = setUp();
  const kinds = ['/api/v1/pods', csiNodes, '/api/v1/nodes', '/apis/storage.k8s.io/v1/volumeattachments'];
  const opened = await Promise.all(kinds.map((url) => watch(`${url}?watch=true&allowWatchBookmarks=true`)));
  await clock.advance(60_000);
  expect(opened.map(({ events }) => events.at(-1)?.type)).toEqual(kinds.map(() => 'BOOKMARK'));
  expect(opened.map(({ events }) => events.at(-1)?.object.spec)).toEqual([
    { containers: null },
    { drivers: null },
    {},
    { attacher: '', nodeName: '', source: {} },
  ]);
  const nodeStatus = { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: expect.objectContaining({ kubeletVersion: '' }) };
  expect(opened.map(({ events }) => events.at(-1)?.object.status)).toEqual([{}, undefined, nodeStatus, { attached: false }]);
});

it('returns unset times as null, except for creationTimestamp', async () => {
  const { call, patch } = setUp();
  await call('POST', pods, pod('web'));
  const status = { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [{ name: 'main', state: { terminated: {} } }] };
  const { body } = await patch(`${pods}/web/status`, { status });
  expect(body.status.conditions).toEqual([{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: null }]);
  expect(body.status.containerStatuses[0].state).toEqual({ terminated: { exitCode: 0, startedAt: null, finishedAt: null } });

  const template = { metadata: { labels: { app: 'a' } }, spec: pod('x').spec };
  const spec = { selector: { matchLabels: { app: 'a' } }, template };
  const deployments = '/apis/apps/v1/namespaces/default/deployments';
  const deployment = await call('POST', deployments, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec });
  expect(deployment.body.spec.template.metadata).toEqual({ labels: { app: 'a' } });
});

it.each([
  ['Role', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', 'rbac.authorization.k8s.io/v1', {}, { rules: null }],
  ['LimitRange', '/api/v1/namespaces/default/limitranges', 'v1', { spec: {} }, { spec: { limits: null } }],
  [
    'EndpointSlice',
    '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
    'discovery.k8s.io/v1',
    { addressType: 'IPv4', endpoints: [{ addresses: [] }] },
    { endpoints: [{ addresses: null }], ports: null },
  ],
])('answers null in a %s', async (kind, url, apiVersion, fields, nulls) => {
  const { call } = setUp();
  expect((await call('POST', url, { apiVersion, kind, metadata: { name: 'a' }, ...fields })).body).toMatchObject(nulls);
});

it('treats null in requests as absent', async () => {
  const { call } = setUp();
  const token = '/api/v1/namespaces/default/serviceaccounts/default/token';
  const { body } = await call('POST', token, { spec: { audiences: null, expirationSeconds: null, boundObjectRef: null } });
  expect(body.spec).toEqual({ audiences: ['https://kubernetes.default.svc.cluster.local'], expirationSeconds: 3600, boundObjectRef: null });
});

const container = { name: 'main', image: 'nginx' };
const template = { metadata: { labels: { app: 'web' } }, spec: { restartPolicy: 'Never', containers: [container] } };

describe('fields that a server writes although they are unset', () => {
  it('are in the status of a new object, which its creator does not manage', async () => {
    const { call } = setUp();
    const body = { metadata: { name: 'job' }, spec: { template } };
    const job = await call('POST', '/apis/batch/v1/namespaces/default/jobs', body);
    expect(job.body.status).toEqual({});
    expect(job.body.metadata.managedFields).toHaveLength(1);
    expect(job.body.metadata.managedFields[0].fieldsV1).not.toHaveProperty('f:status');
    const dry = await call('POST', '/apis/batch/v1/namespaces/default/jobs?dryRun=All', { ...body, metadata: { name: 'dry' } });
    expect(dry.body.status).toEqual({});
  });

  it('are in a status that a client replaces', async () => {
    const { call } = setUp();
    const url = '/apis/apps/v1/namespaces/default/replicasets';
    const spec = { selector: { matchLabels: { app: 'web' } }, template: { ...template, spec: { containers: [container] } } };
    const { body } = await call('POST', url, { metadata: { name: 'web' }, spec });
    expect(body.status).toEqual({ replicas: 0 });
    const updated = await call('PUT', `${url}/web/status`, { ...body, status: { readyReplicas: 1, availableReplicas: 0 } });
    expect(updated.body.status).toEqual({ readyReplicas: 1, replicas: 0 });
  });

  it('are in each element of a list', () => {
    const { server } = setUp();
    server.objects.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers: [container] } } as KubeObject);
    const containerStatuses = [{ name: 'main', state: { running: {} } }];
    const set = (pod: KubeObject & { status?: object }) => Object.assign(pod.status ?? {}, { containerStatuses });
    const { status } = server.objects.update('pods', 'web', set, { subresource: 'status' }) as { status?: object };
    const state = { running: { startedAt: null } };
    const expected = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, lastState: {}, state };
    expect(status).toMatchObject({ containerStatuses: [expected] });
  });
});
