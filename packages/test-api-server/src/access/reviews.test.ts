import { describe, expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';

const group = '/apis/authorization.k8s.io/v1';
const attributes = { verb: 'get', resource: 'pods', namespace: 'default' };

describe('access reviews', () => {
  it.each([
    ['selfsubjectaccessreviews', {}, 'spec.resourceAttributes: Invalid value: null: exactly one of'],
    [
      'selfsubjectaccessreviews',
      { resourceAttributes: attributes, nonResourceAttributes: { path: '/x' } },
      'spec.nonResourceAttributes: Invalid value: {"path":"/x"}: cannot be specified in combination with resourceAttributes',
    ],
    [
      'subjectaccessreviews',
      { resourceAttributes: attributes },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ])('are refused without a question or a subject: %s %j', async (resource, spec, message) => {
    const { call } = setUp();
    const { status, body } = await call('POST', `${group}/${resource}`, { spec });
    expect([status, body.reason, body.message]).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });

  it('have no table', async () => {
    const { call } = setUp();
    const spec = { resourceAttributes: attributes };
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    expect((await call('POST', `${group}/selfsubjectaccessreviews`, { spec }, table)).status).toBe(406);
    expect((await call('POST', `${group}/selfsubjectaccessreviews`, { spec })).body.status).toEqual({ allowed: true });
  });

  it('of a namespace are about that namespace', async () => {
    const { call } = setUp();
    const url = `${group}/namespaces/default/localsubjectaccessreviews`;
    const review = async (spec: object, metadata = {}) => {
      const { status, body } = await call('POST', url, { metadata, spec: { user: 'jane', ...spec } });
      return `${status} ${body.message ?? JSON.stringify([body.metadata, body.status])}`;
    };
    expect(await review({ resourceAttributes: attributes })).toBe('201 [{"namespace":"default"},{"allowed":true}]');
    expect(await review({ resourceAttributes: { verb: 'get' } })).toContain(
      'spec.resourceAttributes.namespace: Invalid value: "": must match',
    );
    expect(await review({ nonResourceAttributes: { path: '/x' } })).toContain('disallowed on this kind of request');
    expect(await review({ resourceAttributes: attributes }, { name: 'a' })).toContain('must be empty except for namespace');
    expect(await review({ resourceAttributes: attributes }, { namespace: 'b' })).toContain('400 the namespace of the provided object');
  });

  it('list the rules of users who may do everything', async () => {
    const { call } = setUp();
    const { body } = await call('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
    expect(body.status).toMatchObject({ incomplete: false, resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    const other = setUp({ authorizer: 'rbac', anonymous: { username: 'jane' } });
    const denied = await other.call('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
    expect(denied.status === 403 || denied.body.status.incomplete).toBe(true);
    const authorizer = ({ verb }: { verb: string }) => ({ allowed: verb === 'create' });
    const { body: unknown } = await setUp({ authorizer }).call('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'a' } });
    expect(unknown.status).toMatchObject({ resourceRules: [], incomplete: true, evaluationError: expect.any(String) });
    expect((await call('POST', `${group}/selfsubjectrulesreviews`, { spec: {} })).body.message).toBe('no namespace on request');
  });

  it('list the rules of roles, and name the binding that allows something', async () => {
    const { call, server } = setUp({ authorizer: 'rbac', tokens: { secret: { username: 'jane', groups: ['team'] } } });
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const bind = (kind: string, name: string, roleRef: { kind: string; name: string }) => {
      const subjects = [{ kind: 'Group', name: 'team' }];
      server.objects.create({
        apiVersion,
        kind,
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...roleRef },
        subjects,
      } as never);
    };
    const review = { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['*'] };
    const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['web'] };
    const metrics = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
    server.objects.create({ apiVersion, kind: 'ClusterRole', metadata: { name: 'reviews' }, rules: [review, metrics] } as never);
    server.objects.create({ apiVersion, kind: 'Role', metadata: { name: 'pods' }, rules: [pods] } as never);
    bind('ClusterRoleBinding', 'reviews', { kind: 'ClusterRole', name: 'reviews' });
    bind('RoleBinding', 'pods', { kind: 'Role', name: 'pods' });
    bind('RoleBinding', 'none', { kind: 'Role', name: 'none' });
    const jane = { authorization: 'Bearer secret' };
    const rules = await call('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } }, jane);
    // Beside those of the roles that every user has.
    expect(rules.body.status).toEqual({
      resourceRules: expect.arrayContaining([review, pods]),
      nonResourceRules: expect.arrayContaining([metrics]),
      incomplete: false,
      evaluationError: 'role.rbac.authorization.k8s.io "none" not found',
    });
    const access = async (name: string) => {
      const spec = { resourceAttributes: { ...attributes, name } };
      return (await call('POST', `${group}/selfsubjectaccessreviews`, { spec }, jane)).body.status;
    };
    expect(await access('web')).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "pods/default" of Role "pods" to Group "team"',
    });
    expect(await access('db')).toEqual({ allowed: false, reason: 'RBAC: role.rbac.authorization.k8s.io "none" not found' });
  });
});
