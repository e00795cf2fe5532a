import { describe, expect, it } from 'vitest';
import { pod, pods, setUp } from '../test-api-server.fixture.js';
import { type PolicyRule, ruleAllows } from './rbac.js';

const request = (verb: string, resource: string, more = {}) => ({
  user: { username: 'jane' },
  isResource: true,
  verb,
  resource,
  group: '',
  ...more,
});

describe('rules of roles', () => {
  const reads: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', '*/scale'] };
  it.each([
    [reads, request('get', 'pods'), true],
    [reads, request('delete', 'pods'), false],
    [reads, request('get', 'pods', { subresource: 'log' }), false],
    [reads, request('get', 'deployments', { subresource: 'scale' }), true],
    [reads, request('get', 'pods', { group: 'metrics.k8s.io' }), false],
    [{ ...reads, resourceNames: ['web'] }, request('get', 'pods', { name: 'web' }), true],
    [{ ...reads, resourceNames: ['web'] }, request('list', 'pods'), false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, request('patch', 'nodes', { subresource: 'status' }), true],
    [
      { verbs: ['get'], nonResourceURLs: ['/healthz', '/api*'] },
      { user: { username: 'jane' }, isResource: false, verb: 'get', path: '/apis' },
      true,
    ],
    [
      { verbs: ['get'], nonResourceURLs: ['/healthz'] },
      { user: { username: 'jane' }, isResource: false, verb: 'get', path: '/version' },
      false,
    ],
  ])('%j on %j: %s', (rule, attributes, allowed) => expect(ruleAllows(rule, attributes)).toBe(allowed));
});

describe('authorization by roles', () => {
  it('allows the verbs of bound roles, in the namespaces of their bindings', async () => {
    const { call } = setUp({ authorizer: 'rbac', tokens: { secret: { username: 'jane', groups: ['team'] } } });
    const jane = { authorization: 'Bearer secret' };
    const may = async (method: string, url: string, body?: unknown) => (await call(method, url, body, jane)).status;
    expect(await may('GET', pods)).toBe(403);
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
    await call('POST', `${rbac}/roles`, {
      metadata: { name: 'pods' },
      rules: [{ verbs: ['list', 'create'], apiGroups: [''], resources: ['pods'] }],
    });
    await call('POST', `${rbac}/rolebindings`, {
      metadata: { name: 'pods' },
      roleRef: { kind: 'Role', name: 'pods' },
      subjects: [{ kind: 'Group', name: 'team' }],
    });
    expect(await may('GET', pods)).toBe(200);
    expect(await may('POST', pods, pod('web'))).toBe(201);
    expect(await may('DELETE', `${pods}/web`)).toBe(403);
    expect(await may('GET', '/api/v1/namespaces/kube-system/pods')).toBe(403);
  });
});
