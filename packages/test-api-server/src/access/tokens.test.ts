import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { decodeBase64Url } from '../base64url.js';
import { machineNetwork } from '../http/machine-network.js';
import type { TestApiServerOptions } from '../options.js';
import { pod, setUp } from '../test-api-server.fixture.js';

const issuer = 'https://kubernetes.default.svc.cluster.local';
const tokenUrl = '/api/v1/namespaces/default/serviceaccounts/default/token';

function setUpTokens(options: TestApiServerOptions = {}) {
  const api = setUp({ network: machineNetwork, ...options });
  const request = async (spec: object = {}, metadata = {}) => {
    const { status, body } = await api.call('POST', tokenUrl, { metadata, spec });
    return { status, body, token: body.status?.token as string, message: body.message as string };
  };
  const review = async (token: string, audiences?: string[]) => {
    const { body } = await api.call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } });
    return body.status;
  };
  return { ...api, request, review };
}
const claimsOf = (token: string) => JSON.parse(decodeBase64Url(token.split('.')[1] ?? ''));

describe('a token of a service account', () => {
  it('has the claims of its account, its pod and the node of that', async () => {
    const { server, request, review } = setUpTokens();
    const node = server.objects.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } });
    const web = server.objects.create(pod('web', { nodeName: 'n1', serviceAccountName: 'default' }) as KubeObject);
    const account = server.objects.get('serviceaccounts', 'default');
    const { token, body } = await request({ boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web' }, expirationSeconds: 3607 });
    const { iat, jti, ...claims } = claimsOf(token);
    const refTo = ({ metadata }: KubeObject) => ({ name: metadata?.name, uid: metadata?.uid });
    const [podRef, nodeRef] = [refTo(web), refTo(node as KubeObject)];
    expect(claims).toEqual({
      iss: issuer,
      sub: 'system:serviceaccount:default:default',
      aud: [issuer],
      // A year, as programs may not read the token again.
      exp: iat + 31_536_000,
      nbf: iat,
      'kubernetes.io': {
        namespace: 'default',
        serviceaccount: { name: 'default', uid: account?.metadata?.uid },
        pod: podRef,
        node: nodeRef,
        warnafter: iat + 3607,
      },
    });
    expect(body).toMatchObject({
      metadata: { name: 'default', namespace: 'default', uid: account?.metadata?.uid },
      spec: { expirationSeconds: 3607 },
    });
    expect(await review(token)).toEqual({
      authenticated: true,
      audiences: [issuer],
      user: {
        username: 'system:serviceaccount:default:default',
        uid: account?.metadata?.uid,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [`JTI=${jti}`],
          'authentication.kubernetes.io/node-name': ['n1'],
          'authentication.kubernetes.io/node-uid': [nodeRef?.uid],
          'authentication.kubernetes.io/pod-name': ['web'],
          'authentication.kubernetes.io/pod-uid': [podRef?.uid],
        },
      },
    });
  });

  it('is for its audiences, of which a review names those that were asked for', async () => {
    const { request, review, call } = setUpTokens({ tokens: { fixed: { username: 'jane' } } });
    const { token } = await request({ audiences: ['vault', 'other'] });
    expect(await review(token, ['vault', 'more'])).toMatchObject({ authenticated: true, audiences: ['vault'] });
    expect(await review(token)).toEqual({
      user: {},
      error: `[invalid bearer token, token audiences ["vault" "other"] is invalid for the target audiences ["${issuer}"]]`,
    });
    expect((await call('GET', '/api', undefined, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect(await review('fixed')).toMatchObject({ authenticated: true, audiences: [issuer], user: { username: 'jane' } });
    expect(await review('fixed', ['vault'])).toEqual({ user: {}, error: 'invalid bearer token' });
    expect(await review(`${token}x`)).toEqual({ user: {}, error: 'invalid bearer token' });
    expect((await call('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: {} })).body).toMatchObject({
      code: 400,
      message: 'token is required for TokenReview in authentication',
    });
  });

  it('ends with its time, and with what it is bound to', async () => {
    const { server, request, review, clock } = setUpTokens();
    const { token: short } = await request({ expirationSeconds: 600 });
    server.objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    const { token } = await request({ boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 's' } });
    expect(await review(token)).toMatchObject({ authenticated: true });
    await clock.advance(700_000);
    expect(await review(short)).toMatchObject({ error: '[invalid bearer token, service account token has expired]' });
    server.objects.delete('secrets', 's');
    expect(await review(token)).toMatchObject({ error: '[invalid bearer token, service account token has been invalidated]' });
    server.objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } });
    expect((await review(token)).error).toMatch(/secret UID \(.*\) does not match service account secret ref claim/);
  });

  it('is refused for another account, and for objects that it cannot be bound to', async () => {
    const { server, request } = setUpTokens();
    server.objects.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'other' } });
    server.objects.create(pod('web', { serviceAccountName: 'other' }) as KubeObject);
    const bind = (ref: object) => request({ boundObjectRef: { apiVersion: 'v1', ...ref } });
    const refused = [
      await request({}, { name: 'other' }),
      await request({}, { uid: 'other' }),
      await request({ expirationSeconds: 60 }),
      await bind({ kind: 'Pod', name: 'web' }),
      await bind({ kind: 'Pod', name: 'none' }),
      await bind({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }),
    ];
    expect(refused.map(({ status, message }) => `${status} ${message}`)).toEqual([
      '422 TokenRequest.authentication.k8s.io "default" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
      expect.stringMatching(/^409 .*the UID in the token request \(other\) does not match the UID of the service account/),
      expect.stringMatching(/^422 .*may not specify a duration less than 10 minutes/),
      '400 cannot bind token for serviceaccount "default" to pod running with different serviceaccount name.',
      '404 pods "none" not found',
      '400 cannot bind token to object of type apps/v1, Kind=Deployment',
    ]);
  });
});

describe('the issuer of tokens', () => {
  it('publishes the key by which others verify them', async () => {
    const { request, call } = setUpTokens();
    const configuration = await call('GET', '/.well-known/openid-configuration');
    expect(configuration.body).toEqual({
      issuer,
      jwks_uri: 'https://kubernetes.default.svc.cluster.local/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    });
    const { body, headers } = await call('GET', '/openid/v1/jwks');
    expect(headers['content-type']).toBe('application/jwk-set+json');
    const [key] = (body as { keys: JsonWebKey[] }).keys;
    expect(Object.keys(key ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const [header = '', payload, signature = ''] = (await request({ audiences: ['vault'] })).token.split('.');
    expect(JSON.parse(decodeBase64Url(header))).toEqual({ alg: 'ES256', kid: key?.kid });
    const publicKey = createPublicKey({ key: key ?? {}, format: 'jwk' });
    const verifies = (text: string) =>
      verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
    expect([verifies(`${header}.${payload}`), verifies(`${header}.${payload}x`)]).toEqual([true, false]);
    expect((await call('GET', '/')).body.paths).toContain('/openid/v1/jwks');
  });

  it('has no documents without a network, whose tokens only the server verifies', async () => {
    const { call } = setUp();
    const { body } = await call('POST', tokenUrl, { spec: {} });
    expect((await call('GET', '/api', undefined, { authorization: `Bearer ${body.status.token}` })).status).toBe(200);
    expect((await call('GET', '/openid/v1/jwks')).status).toBe(404);
    expect((await call('GET', '/')).body.paths).not.toContain('/openid/v1/jwks');
  });
});

describe('the token of a Secret', () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const secret = (account: string) => ({
    metadata: { name: 'legacy', annotations: { 'kubernetes.io/service-account.name': account } },
    type: 'kubernetes.io/service-account-token',
  });

  it('is that of its account, as long as the Secret has it', async () => {
    const { call, review, server } = setUpTokens({ tokenSecrets: true });
    await call('POST', secrets, secret('default'));
    const { body } = await call('GET', `${secrets}/legacy`);
    const account = server.objects.get('serviceaccounts', 'default');
    expect(body.metadata.annotations).toHaveProperty(['kubernetes.io/service-account.uid'], account?.metadata?.uid);
    expect(atob(body.data.namespace)).toBe('default');
    expect(atob(body.data['ca.crt'])).toContain('BEGIN CERTIFICATE');
    const token = atob(body.data.token);
    expect(claimsOf(token)).toMatchObject({
      iss: 'kubernetes/serviceaccount',
      'kubernetes.io/serviceaccount/secret.name': 'legacy',
      sub: 'system:serviceaccount:default:default',
    });
    expect(await review(token)).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:default' } });
    await call('DELETE', `${secrets}/legacy`);
    expect(await review(token)).toMatchObject({ error: '[invalid bearer token, service account token has been invalidated]' });
  });

  it('ends with its account, and is not issued for another', async () => {
    const { call, server } = setUpTokens({ tokenSecrets: true });
    await call('POST', '/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' }, secrets: [{ name: 'legacy' }] });
    await call('POST', secrets, secret('robot'));
    await call('DELETE', `${secrets}/legacy`);
    expect(server.objects.get('serviceaccounts', 'robot')).not.toHaveProperty('secrets');
    await call('POST', secrets, secret('robot'));
    await call('DELETE', '/api/v1/namespaces/default/serviceaccounts/robot');
    expect((await call('GET', `${secrets}/legacy`)).status).toBe(404);
    await call('POST', secrets, secret('missing'));
    expect((await call('GET', `${secrets}/legacy`)).status).toBe(404);
  });
});
