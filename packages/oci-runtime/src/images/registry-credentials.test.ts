import { expect, it } from 'vitest';
import { registryCredentials } from './registry-credentials.js';

const image = 'registry.example:5000/team/app:1';
const login = { username: 'robot', password: 'secret' };

it('an anonymous pull has no credentials', () => {
  expect([registryCredentials(undefined, image), registryCredentials({}, image)]).toEqual([undefined, undefined]);
});

it('a token is preferred to a user, and a user to the encoded one', () => {
  const auth = Buffer.from('other:word').toString('base64');
  expect(registryCredentials({ ...login, auth, registryToken: 'r' }, image)).toEqual({ registryToken: 'r' });
  expect(registryCredentials({ ...login, auth, identityToken: 'i' }, image)).toEqual({ identityToken: 'i' });
  expect(registryCredentials({ ...login, auth }, image)).toEqual(login);
});

it('an encoded user and password are split at the first colon, without the padding', () => {
  const auth = Buffer.from('robot:a:b\0\0').toString('base64');
  expect(registryCredentials({ auth }, image)).toEqual({ username: 'robot', password: 'a:b' });
  expect(() => registryCredentials({ auth: 'bm8=' }, image)).toThrow(
    expect.objectContaining({ code: 'CRI_INVALID_ARGUMENT', details: { field: 'auth.auth' } }),
  );
});

it.each([
  ['registry.example:5000', image, true],
  ['https://registry.example:5000/v2/', image, true],
  ['registry.example', image, false],
  ['https://other.example', image, false],
  ['https://index.docker.io/v1/', 'nginx', true],
])('the credentials of %s are for %s: %s', (serverAddress, name, isSame) => {
  expect(registryCredentials({ ...login, serverAddress }, name)).toEqual(isSame ? login : undefined);
});
