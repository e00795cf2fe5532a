import { describe, expect, it } from 'vitest';
import { parseChallenges } from './challenge.js';
import { parseTokenResponse, tokenRequest } from './token.js';

describe('parseChallenges', () => {
  it.each([
    [
      'Bearer realm="https://a/token",service="s",scope="repository:x:pull,push"',
      [['bearer', { realm: 'https://a/token', service: 's', scope: 'repository:x:pull,push' }]],
    ],
    ['BASIC Realm=plain', [['basic', { realm: 'plain' }]]],
    [
      'Negotiate, Basic realm="a \\"b\\""',
      [
        ['negotiate', {}],
        ['basic', { realm: 'a "b"' }],
      ],
    ],
    [
      'Basic realm="a", Bearer realm="b" , service="c"',
      [
        ['basic', { realm: 'a' }],
        ['bearer', { realm: 'b', service: 'c' }],
      ],
    ],
    ['', []],
    ['"', []],
    ['Bearer realm="open', [['bearer', {}]]],
  ])('parses %s', (header, expected) => {
    expect(
      parseChallenges(header)
        .map(({ scheme, parameters }) => [scheme, parameters])
        .slice(0, expected.length || 1),
    ).toEqual(expected);
  });

  it('takes time in proportion to the length of the header', () => {
    const begin = performance.now();
    parseChallenges(`Bearer ${'a="\\'.repeat(100_000)}`);
    parseChallenges(' '.repeat(100_000));
    parseChallenges(`Bearer ${'a = '.repeat(100_000)}`);
    expect(performance.now() - begin).toBeLessThan(500);
  });
});

describe('tokenRequest', () => {
  const challenge = { scheme: 'bearer', parameters: { realm: 'https://auth.example.com/token?x=1', service: 'registry' } };
  const request = (credentials?: object, realm = challenge.parameters.realm, registry = 'https://r/v2/') =>
    tokenRequest({ ...challenge, parameters: { ...challenge.parameters, realm } }, 'library/nginx', credentials, registry);

  it('asks for the scope of the repository, anonymously or with a password', () => {
    const url = 'https://auth.example.com/token?x=1&service=registry&scope=repository%3Alibrary%2Fnginx%3Apull';
    expect(request()).toEqual({ method: 'GET', url, headers: {} });
    expect(request({ username: 'u', password: 'pä' }).headers).toEqual({
      authorization: `Basic ${Buffer.from('u:pä').toString('base64')}`,
    });
  });

  it('exchanges an identity token', () => {
    const { method, body } = request({ identityToken: 'refresh' });
    expect([method, Object.fromEntries(new URLSearchParams(body))]).toEqual([
      'POST',
      {
        service: 'registry',
        scope: 'repository:library/nginx:pull',
        grant_type: 'refresh_token',
        client_id: 'nodeagent',
        refresh_token: 'refresh',
      },
    ]);
  });

  it.each(['http://auth/token', 'file:///etc/passwd', 'nonsense'])('sends nothing to %s', (realm) => {
    expect(() => request({}, realm)).toThrow(expect.objectContaining({ code: 'InvalidRegistryResponse' }));
  });

  it('accepts a realm without TLS from a registry without TLS', () => {
    expect(request({}, 'http://auth/token', 'http://r/v2/').url).toContain('http://auth/token?');
  });
});

describe('parseTokenResponse', () => {
  it('reads token or access_token, valid for at least a minute', () => {
    expect(parseTokenResponse('{"token":"a","expires_in":300}')).toEqual({ token: 'a', validMs: 300_000 });
    expect(parseTokenResponse('{"access_token":"b","expires_in":1}')).toEqual({ token: 'b', validMs: 60_000 });
  });
  it.each(['<html>', '[]', '{}', '{"token":""}', '{"token":"a\\nX-Evil: 1"}', `{"token":"${'a'.repeat(70_000)}"}`])(
    'refuses %s',
    (text) => {
      expect(() => parseTokenResponse(text)).toThrow(expect.objectContaining({ code: 'InvalidRegistryResponse' }));
    },
  );
});
