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

  it('list the rules of users who may do everything', async () => {
    const { call } = setUp();
    const { body } = await call('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
    expect(body.status).toMatchObject({ incomplete: false, resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    const other = setUp({ authorizer: 'rbac', anonymous: { username: 'jane' } });
    const denied = await other.call('POST', `${group}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
    expect(denied.status === 403 || denied.body.status.incomplete).toBe(true);
  });
});
