import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { expect, it } from 'vitest';
import { setUp } from '../test-api-server.fixture.js';
import type { TokenKeys } from './token-keys.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys: TokenKeys = {
  header: { alg: 'RS256', kid: 'first' },
  sign: (text) => sign('sha256', Buffer.from(text), privateKey).toString('base64url'),
  verify: (text, signature) => verify('sha256', Buffer.from(text), publicKey, Buffer.from(signature, 'base64url')),
  keys: [{ use: 'sig', kid: 'first', alg: 'RS256', ...publicKey.export({ format: 'jwk' }) }],
};
const accounts = '/api/v1/namespaces/default/serviceaccounts';

it('signs tokens of service accounts with its keys, and publishes these', async () => {
  const { call } = setUp({ serviceAccounts: { issuer: 'https://issuer.example', audiences: ['api', 'other'], keys } });
  const { token } = (await call('POST', `${accounts}/default/token`, { spec: {} })).body.status;
  const [header, payload, signature] = token.split('.');
  expect(JSON.parse(atob(header))).toEqual({ alg: 'RS256', kid: 'first' });
  expect(JSON.parse(atob(payload))).toMatchObject({ iss: 'https://issuer.example', aud: ['api', 'other'] });
  expect(keys.verify(`${header}.${payload}`, signature)).toBe(true);
  const review = async (text: string, audiences?: string[]) =>
    (await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: text, ...(audiences && { audiences }) } })).body
      .status;
  expect(await review(token)).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:default' } });
  expect((await review(token, ['vault'])).authenticated).not.toBe(true);
  expect((await review(`${header}.${payload}.AAAA`)).authenticated).not.toBe(true);
  const { body } = await call('GET', '/.well-known/openid-configuration');
  expect(body).toMatchObject({ issuer: 'https://issuer.example', jwks_uri: 'https://issuer.example/openid/v1/jwks' });
  expect((await call('GET', '/openid/v1/jwks')).body).toEqual({ keys: keys.keys });
});

it('takes no tokens of another issuer with the same keys', async () => {
  const [one, other] = ['https://one.example', 'https://other.example'].map((issuer) => setUp({ serviceAccounts: { issuer, keys } }));
  const { token } =
    (await one?.call('POST', `${accounts}/default/token`, { spec: { audiences: ['https://other.example'] } }))?.body.status ?? {};
  expect((await other?.call('GET', accounts, undefined, { authorization: `Bearer ${token}` }))?.status).toBe(401);
});

it('publishes no keys without the option', async () => {
  const { call } = setUp();
  expect((await call('GET', '/openid/v1/jwks')).status).toBe(404);
});
