import { expect, it } from 'vitest';
import { withUser } from './user-headers.js';

it('names the user, and no other that the client names', () => {
  const headers = {
    accept: 'application/json',
    'x-remote-user': 'admin',
    'x-remote-group': 'system:masters',
    'x-remote-extra-scopes': 'all',
    'impersonate-user': 'root',
  };
  expect(withUser(headers, { username: 'jane' })).toEqual({ accept: 'application/json', 'x-remote-user': 'jane' });
});

it('has the UID, groups and extra fields of the user', () => {
  const extra = { 'example.com/scope é%': ['a', 'b'] };
  expect(withUser({}, { username: 'jane', uid: '7', groups: ['a', 'b'], extra })).toEqual({
    'x-remote-user': 'jane',
    'x-remote-uid': '7',
    'x-remote-group': 'a\nb',
    'x-remote-extra-example.com%2Fscope%20%C3%A9%25': 'a\nb',
  });
});
