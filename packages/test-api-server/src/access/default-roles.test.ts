import { expect, it } from 'vitest';
import { pods, setUp } from '../test-api-server.fixture.js';
import type { PolicyRule } from './rbac.js';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const jane = { 'impersonate-user': 'jane' };
const setUpRoles = () => setUp({ authorizer: 'rbac' });

const bind = (name: string, subject: unknown) => ({
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
  subjects: [subject],
});
const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' };

it('lets every user discover the API and ask about its own access', async () => {
  const { call } = setUpRoles();
  expect((await call('GET', '/apis', undefined, jane)).status).toBe(200);
  const spec = { resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' } };
  const { body } = await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec }, jane);
  expect(body.status).toEqual({ allowed: false });
  expect((await call('GET', pods, undefined, jane)).body.message).toBe(
    'pods is forbidden: User "jane" cannot list resource "pods" in API group "" in the namespace "default"',
  );
});

it('grants what the roles view, edit and admin grant, in the namespaces of their bindings', async () => {
  const { call } = setUpRoles();
  await call('POST', `${rbac}/namespaces/default/rolebindings`, bind('view', user));
  expect((await call('GET', pods, undefined, jane)).status).toBe(200);
  expect((await call('GET', '/api/v1/namespaces/default/secrets', undefined, jane)).status).toBe(403);
  expect((await call('GET', '/api/v1/namespaces/kube-system/pods', undefined, jane)).status).toBe(403);
  await call('POST', `${rbac}/namespaces/default/rolebindings`, bind('admin', user));
  expect((await call('GET', '/api/v1/namespaces/default/secrets', undefined, jane)).status).toBe(200);
  expect((await call('GET', `${rbac}/namespaces/default/roles`, undefined, jane)).status).toBe(200);
});

it('adds the rules of labelled roles to the roles that aggregate them', async () => {
  const { server, call } = setUpRoles();
  const rule = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] };
  const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
  await call('POST', `${rbac}/clusterroles`, { metadata: { name: 'widgets', labels }, rules: [rule] });
  const has = (name: string) => JSON.stringify(server.objects.get('clusterroles', name)).includes('"widgets"');
  expect(['view', 'edit', 'admin', 'cluster-admin'].map(has)).toEqual([true, true, true, false]);
  await call('DELETE', `${rbac}/clusterroles/widgets`);
  expect(['view', 'edit', 'admin'].map(has)).toEqual([false, false, false]);
});

it('lists the rules of a user', async () => {
  const { call } = setUpRoles();
  await call('POST', `${rbac}/namespaces/default/rolebindings`, bind('view', user));
  const rulesIn = async (namespace: string) => {
    const { body } = await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: { namespace } }, jane);
    expect(body.status.incomplete).toBe(false);
    return body.status;
  };
  const names = ({ resourceRules }: { resourceRules: PolicyRule[] }) => resourceRules.flatMap(({ resources }) => resources);
  expect(names(await rulesIn('default'))).toEqual(expect.arrayContaining(['pods', 'selfsubjectreviews']));
  const elsewhere = await rulesIn('kube-system');
  expect(names(elsewhere)).toEqual(['selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'selfsubjectreviews']);
  expect(elsewhere.nonResourceRules[1]).toEqual({ verbs: ['get'], nonResourceURLs: expect.arrayContaining(['/healthz', '/version']) });
  const { body } = await call('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', { spec: {} }, jane);
  expect(body.message).toBe('no namespace on request');
});
