import { describe, expect, it } from 'vitest';
import { pods, setUp } from '../test-api-server.fixture.js';

const whoAmI = '/apis/authentication.k8s.io/v1/selfsubjectreviews';

describe('impersonation', () => {
  it.each([
    [{ 'impersonate-user': 'bob' }, { username: 'bob', groups: ['system:authenticated'] }],
    [
      { 'impersonate-user': 'bob', 'impersonate-uid': '7', 'impersonate-group': 'a, b', 'impersonate-extra-acme%2Fteam': 'x,y' },
      { username: 'bob', uid: '7', groups: ['a', 'b', 'system:authenticated'], extra: { 'acme/team': ['x', 'y'] } },
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:team:robot' },
      {
        username: 'system:serviceaccount:team:robot',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:team', 'system:authenticated'],
      },
    ],
    [
      { 'impersonate-user': 'system:anonymous', 'impersonate-extra-%ff': 'x' },
      { username: 'system:anonymous', groups: ['system:unauthenticated'], extra: { '%ff': ['x'] } },
    ],
    [
      { 'impersonate-user': 'bob', 'impersonate-group': 'system:unauthenticated' },
      { username: 'bob', groups: ['system:unauthenticated'] },
    ],
  ])('acts as %j', async (headers, userInfo) => {
    const { call } = setUp();
    expect((await call('POST', whoAmI, {}, headers)).body.status.userInfo).toEqual(userInfo);
  });

  it('needs a user', async () => {
    const { call } = setUp();
    const { status, body } = await call('GET', pods, undefined, { 'impersonate-group': 'a' });
    expect([status, body.message]).toEqual([400, 'requested [impersonate-group] without impersonating a user']);
  });

  it.each([
    [
      { 'impersonate-user': 'bob' },
      'users "bob" is forbidden: User "jane" cannot impersonate resource "users" in API group "" at the cluster scope',
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:team:robot' },
      'serviceaccounts "robot" is forbidden: User "jane" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "team"',
    ],
    [
      { 'impersonate-user': 'ok', 'impersonate-extra-a': 'b' },
      'userextras.authentication.k8s.io "b" is forbidden: ' +
        'User "jane" cannot impersonate resource "userextras/a" in API group "authentication.k8s.io" at the cluster scope',
    ],
  ])('needs the verb impersonate: %j', async (headers, message) => {
    const jane = { username: 'jane' };
    const { call } = setUp({ anonymous: jane, authorizer: ({ verb, name }) => ({ allowed: verb !== 'impersonate' || name === 'ok' }) });
    const { status, body } = await call('GET', pods, undefined, headers);
    expect([status, body.message]).toEqual([403, message]);
  });
});
